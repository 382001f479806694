package dev.stagesim.feature.suite.graph;

import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * One line of a layer list: a name and its arguments.
 *
 * @param text the line
 * @param name first word
 * @param args remaining words
 */
record LayerCall(String text, String name, List<String> args) {
    public LayerCall {
        args = List.copyOf(args);
    }

    /** Splits a line at blanks. */
    static LayerCall of(String text) {
        List<String> words = Arrays.asList(text.strip().split("\\s+"));
        return new LayerCall(text, words.get(0), words.subList(1, words.size()));
    }

    /** Returns an integer argument; the signature has been checked. */
    int whole(int index) {
        return Integer.parseInt(args.get(index));
    }

    /** Returns a decimal argument; the signature has been checked. */
    double fraction(int index) {
        return Double.parseDouble(args.get(index));
    }

    boolean has(String word) {
        return args.contains(word);
    }

    /** Returns the number after the letter {@code s}, such as 2 in {@code s2}; 1 if absent. */
    int stride() {
        return args.stream()
                .filter(word -> word.matches("s[0-9]"))
                .findFirst()
                .map(word -> Integer.parseInt(word.substring(1)))
                .orElse(1);
    }

    /** Returns the activation among the arguments. */
    Optional<Elementwise> activation() {
        return args.stream()
                .map(Elementwise::activation)
                .flatMap(Optional::stream)
                .findFirst();
    }

    /**
     * Checks a list of lines.
     *
     * @param key key of the list
     * @param what kind of line, for messages
     */
    static List<Problem> check(String key, String what, List<String> lines, List<NodeSignature> known) {
        List<Problem> problems = new ArrayList<>();
        List<String> names = known.stream().map(NodeSignature::name).toList();
        for (int i = 0; i < lines.size(); i++) {
            LayerCall call = of(lines.get(i));
            String where = key + "." + i;
            Optional<NodeSignature> signature = known.stream()
                    .filter(layer -> layer.name().equals(call.name()))
                    .findFirst();
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
