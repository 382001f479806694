package dev.stagesim.io.trace;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * Columns of a CSV trace under common names, in any case and with any separator.
 *
 * @param time column of the time, or -1 if absent
 * @param unit unit of the time
 * @param prompt column of the prompt tokens
 * @param output column of the output tokens
 */
record CommonColumns(int time, Unit unit, int prompt, int output) {
    /** Units at the end of the name of a time column. Without a unit, times are in seconds or are dates. */
    enum Unit {
        SECONDS("seconds", 9, "seconds secs sec s"),
        MILLISECONDS("milliseconds", 6, "milliseconds millis msec ms"),
        MICROSECONDS("microseconds", 3, "microseconds micros usec us"),
        NANOSECONDS("nanoseconds", 0, "nanoseconds nanos nsec ns");

        private final String text;
        private final int digits;
        private final String endings;

        Unit(String text, int digits, String endings) {
            this.text = text;
            this.digits = digits;
            this.endings = endings;
        }

        String text() {
            return this == SECONDS ? "seconds or as date and time" : text;
        }

        /** Parses a time and returns it in nanoseconds. */
        long nanos(String time) {
            return this == SECONDS ? Timestamps.nanos(time) : Timestamps.nanos(time, digits, text);
        }

        private static Optional<Unit> of(String column) {
            return TIMES.contains(column)
                    ? Optional.of(SECONDS)
                    : Arrays.stream(values()).filter(unit -> unit.ends(column)).findFirst();
        }

        private boolean ends(String column) {
            return Arrays.stream(endings.split(" ", 0))
                    .anyMatch(ending -> column.endsWith(ending)
                            && TIMES.contains(column.substring(0, column.length() - ending.length())));
        }
    }

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

    /** Returns the columns of a header, or empty if a token count is missing or occurs twice. */
    static Optional<CommonColumns> find(List<String> header) {
        List<Integer> prompts = positions(header, PROMPTS);
        List<Integer> outputs = positions(header, OUTPUTS);
        List<Integer> times = new ArrayList<>();
        for (int i = 0; i < header.size(); i++) {
            if (Unit.of(plain(header.get(i))).isPresent()) {
                times.add(i);
            }
        }
        if (prompts.size() != 1 || outputs.size() != 1 || times.size() > 1) {
            return Optional.empty();
        }
        int time = times.isEmpty() ? -1 : times.get(0);
        Unit unit = time < 0 ? Unit.SECONDS : Unit.of(plain(header.get(time))).orElseThrow();
        return Optional.of(new CommonColumns(time, unit, prompts.get(0), outputs.get(0)));
    }

    static String describe() {
        return "any CSV with one column of prompt tokens (prompt_tokens, input_tokens, ...), one of output tokens"
                + " (completion_tokens, output_tokens, ...) and optionally one of times. Times are in seconds or dates"
                + " (timestamp, arrival_time, ...), or in the unit at the end of the name (arrival_time_us, timestamp_ms, ...)";
    }

    private static String plain(String column) {
        return column.toLowerCase(Locale.ROOT).replaceAll("[ _.()\\[\\]-]", "");
    }

    private static List<Integer> positions(List<String> header, List<String> names) {
        List<Integer> found = new ArrayList<>();
        for (int i = 0; i < header.size(); i++) {
            if (names.contains(plain(header.get(i)))) {
                found.add(i);
            }
        }
        return found;
    }
}
