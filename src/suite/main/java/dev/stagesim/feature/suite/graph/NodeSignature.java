package dev.stagesim.feature.suite.graph;

import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Syntax of a layer or an operation in the keys of a suite workload: positional parameters, then optional words in any order.
 *
 * @param usage name and parameters: {@code UNITS} is an integer above 0, {@code ~RATE} a number from 0 to 1, {@code
 * *FACTOR} a number, {@code @NAME} a name; brackets mark optional parameters
 * @param words optional words
 */
record NodeSignature(String usage, List<String> words) {
    public NodeSignature {
        words = List.copyOf(words);
    }

    /** Name of the layer or operation. */
    String name() {
        return usage.split(" ", 2)[0];
    }

    private List<String> parameters() {
        List<String> all = Arrays.asList(usage.split(" "));
        return all.subList(1, all.size());
    }

    /** Returns the syntax error of a call; empty if it is well formed. */
    Optional<String> refusal(List<String> given) {
        List<String> remaining = new ArrayList<>(given);
        for (String parameter : parameters()) {
            boolean isOptional = parameter.startsWith("[");
            String form = isOptional ? parameter.substring(1, parameter.length() - 1) : parameter;
            if (remaining.isEmpty() || (isOptional && words.contains(remaining.get(0)))) {
                if (!isOptional) {
                    return Optional.of("expected " + shown() + ", " + bare(form) + " is missing");
                }
                continue;
            }
            String text = remaining.remove(0);
            if (!fits(form, text)) {
                return Optional.of("expected " + shown() + ", where " + bare(form) + " is " + kind(form) + "; found '"
                        + text + "'");
            }
        }
        return remaining.stream()
                .filter(word -> !words.contains(word))
                .findFirst()
                .map(word -> "expected " + shown() + ", found '" + word + "'"
                        + Suggest.near(word, words).stream()
                                .findFirst()
                                .map(near -> "; did you mean '" + near + "'?")
                                .orElse(""));
    }

    private static boolean fits(String form, String text) {
        if (form.startsWith("@")) {
            return text.matches("[a-z][a-z0-9_]*");
        }
        if (form.startsWith("~")) {
            return text.matches("0|1|0?\\.[0-9]+|1\\.0");
        }
        return form.startsWith("*") ? text.matches("[0-9]{1,6}(\\.[0-9]{1,9})?") : text.matches("[1-9][0-9]{0,8}");
    }

    private static String kind(String form) {
        return switch (form.charAt(0)) {
            case '@' -> "a name";
            case '~' -> "a number from 0 to 1";
            case '*' -> "a number";
            default -> "a whole number above 0";
        };
    }

    private static String bare(String form) {
        return form.replaceAll("[@~*]", "");
    }

    /** Usage as shown in messages. */
    String shown() {
        String more = words.isEmpty() ? "" : " [" + String.join("|", words) + "]";
        return "'" + bare(usage) + more + "'";
    }
}
