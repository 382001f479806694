package dev.stagesim.pipeline;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * The word {@code repeat=k} apart from the overrides: it numbers the repetitions of a measurement and is no key of any
 * configuration.
 *
 * @param number the number, from 0; the last one counts
 * @param overrides the other words
 */
public record Repetition(Optional<Integer> number, List<String> overrides) {
    private static final Pattern WORD = Pattern.compile("repeat\\s*=(.*)", Pattern.DOTALL);
    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,9}");
    private static final Pattern SWEEP = Pattern.compile("[,(]");

    public Repetition {
        overrides = List.copyOf(overrides);
    }

    /** Finds the word among others. */
    public static Repetition split(List<String> words) {
        Optional<Integer> number = Optional.empty();
        List<String> overrides = new ArrayList<>();
        for (String word : words) {
            Matcher repeat = WORD.matcher(word);
            if (repeat.matches()) {
                number = Optional.of(number(word, repeat.group(1).strip()));
            } else {
                overrides.add(word);
            }
        }
        return new Repetition(number, overrides);
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
