package dev.stagesim.io.trace;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Columns of a CSV trace that tools and people name in a few usual ways, whatever their case and separators.
 *
 * @param time column of the time, -1 for none
 * @param prompt column of the prompt tokens
 * @param output column of the output tokens
 */
record CommonColumns(int time, int prompt, int output) {
    private static final List<String> TIMES = List.of(
            "timestamp", "time", "arrivaltime", "arrivedat", "arrival", "arrivaltimestamp", "requesttime", "starttime");
    private static final List<String> PROMPTS =
            List.of(("prompttokens inputtokens numprompttokens numinputtokens promptlength inputlength promptlen"
                            + " inputlen prefilltokens numprefilltokens contexttokens requesttokens promptsize")
                    .split(" ", 0));
    private static final List<String> OUTPUTS =
            List.of(("completiontokens outputtokens generatedtokens numcompletiontokens numoutputtokens "
                            + "numgeneratedtokens completionlength outputlength outputlen decodetokens numdecodetokens "
                            + "responsetokens tokensize")
                    .split(" ", 0));

    /** The columns of a header; empty when one of the two counts is missing or named twice. */
    static Optional<CommonColumns> find(List<String> header) {
        List<Integer> prompts = positions(header, PROMPTS);
        List<Integer> outputs = positions(header, OUTPUTS);
        List<Integer> times = positions(header, TIMES);
        return prompts.size() == 1 && outputs.size() == 1 && times.size() <= 1
                ? Optional.of(new CommonColumns(times.isEmpty() ? -1 : times.get(0), prompts.get(0), outputs.get(0)))
                : Optional.empty();
    }

    static String describe() {
        return "any CSV with one column of prompt tokens (prompt_tokens, input_tokens, ...), one of output tokens"
                + " (completion_tokens, output_tokens, ...) and, if any, one of times in seconds or date and time"
                + " (timestamp, arrival_time, ...)";
    }

    private static List<Integer> positions(List<String> header, List<String> names) {
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < header.size(); i++) {
            if (names.contains(header.get(i).toLowerCase(Locale.ROOT).replaceAll("[ _.-]", ""))) {
                found.add(i);
            }
        }
        return found;
    }
}
