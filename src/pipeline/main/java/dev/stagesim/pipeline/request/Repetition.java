package dev.stagesim.pipeline.request;

import dev.stagesim.contract.TableFormat;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The arguments {@code repeat=k} and {@code output.format=...}, separated from the overrides. The first numbers the
 * repetitions of a measurement, the second selects the format of tables. Neither is a key of a stage.
 *
 * @param number the number, from 0; the last argument wins
 * @param format the format; the last argument wins
 * @param overrides the other arguments
 */
public record Repetition(Optional<Integer> number, Optional<TableFormat> format, List<String> overrides) {
    public static final Pattern FORMAT = Pattern.compile("\\+{0,2}output\\.format\\s*=(.*)", Pattern.DOTALL);
    private static final Pattern WORD = Pattern.compile("repeat\\s*=(.*)", Pattern.DOTALL);
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
    private static final Pattern QUOTED = Pattern.compile("([\"'])(.*)\\1", Pattern.DOTALL);
    private static final Pattern SWEEP = Pattern.compile("[,(]");

    public Repetition {
        overrides = List.copyOf(overrides);
    }

    /** Returns the run options of these arguments. */
    public RunOptions options(boolean force) {
        return new RunOptions(force, number, format.orElse(TableFormat.CSV));
    }

    /** Separates the arguments. */
    public static Repetition split(List<String> words) {
        Optional<Integer> number = Optional.empty();
        Optional<TableFormat> format = Optional.empty();
        List<String> overrides = new ArrayList<>();
        for (String word : words) {
            Matcher repeat = WORD.matcher(word);
            Matcher tables = FORMAT.matcher(word);
            if (repeat.matches()) {
                number = Optional.of(number(word, repeat.group(1).strip()));
            } else if (tables.matches()) {
                format = Optional.of(format(word, tables.group(1).strip()));
            } else {
                overrides.add(word);
            }
        }
        return new Repetition(number, format, overrides);
    }

    private static TableFormat format(String word, String value) {
        Matcher quoted = QUOTED.matcher(value);
        String text = quoted.matches() ? quoted.group(2) : value;
        return TableFormat.of(text)
                .orElseThrow(() -> StageException.input(Problem.usage(word, "no such format of tables")
                        .didYouMean(Suggest.near(text, TableFormat.NAMES))
                        .options(TableFormat.NAMES)));
    }

    private static int number(String word, String text) {
        if (NUMBER.matcher(text).matches()) {
            return Integer.parseInt(text);
        }
        Problem problem = Problem.usage(word, "expected a non-negative integer");
        throw StageException.input(
                SWEEP.matcher(text).find() ? problem.hint("--multirun runs one job for each of several") : problem);
    }
}
