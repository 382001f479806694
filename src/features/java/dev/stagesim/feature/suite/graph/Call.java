package dev.stagesim.feature.suite.graph;

import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One line of an entry: a name and what stands behind it.
 *
 * @param text the line
 * @param name its first word
 * @param args the others
 */
public record Call(String text, String name, List<String> args) {
    public Call {
        args = List.copyOf(args);
    }

    /** Splits a line at blanks. */
    public static Call of(String text) {
        List<String> words = Arrays.asList(text.strip().split("\\s+"));
        return new Call(text, words.get(0), words.subList(1, words.size()));
    }

    /** A whole number that its signature promises. */
    public int whole(int index) {
        return Integer.parseInt(args.get(index));
    }

    /** A number that its signature promises. */
    public double fraction(int index) {
        return Double.parseDouble(args.get(index));
    }

    public boolean has(String word) {
        return args.contains(word);
    }

    /** The number behind a letter, such as 2 of {@code s2}; 1 where there is none. */
    public int stride() {
        return args.stream()
                .filter(word -> word.matches("s[0-9]"))
                .findFirst()
                .map(word -> Integer.parseInt(word.substring(1)))
                .orElse(1);
    }

    /** The activation among the words. */
    Optional<Elementwise> activation() {
        return args.stream()
                .map(Elementwise::activation)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /**
     * All that is wrong with a list of lines.
     *
     * @param key key of the list
     * @param what what a line is, for messages
     */
    public static List<Problem> check(String key, String what, List<String> lines, List<Signature> known) {
        List<Problem> problems = new ArrayList<>();
        List<String> names = known.stream().map(Signature::name).toList();
        for (int i = 0; i < lines.size(); i++) {
            Call call = of(lines.get(i));
            String where = key + "." + i;
            Optional<Signature> signature =
                    known.stream().filter(one -> one.name().equals(call.name())).findFirst();
            if (signature.isEmpty()) {
                problems.add(Problem.config(where, "unknown " + what + " '" + call.name() + "'")
                        .options(names)
                        .didYouMean(Suggest.near(call.name(), names)));
            } else {
                signature
                        .get()
                        .refusal(call.args())
                        .ifPresent(why -> problems.add(Problem.config(where, what + " '" + call.text() + "': " + why)));
            }
        }
        return problems;
    }
}
