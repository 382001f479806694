package dev.stagesim.verify.chakra;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An argument list of a Python tool: options may be cut to a prefix that is no other option's. */
final class ToolArguments {
    private final Map<String, String> given = new LinkedHashMap<>();
    private final List<String> others = new ArrayList<>();

    private ToolArguments() {}

    /**
     * Reads a list in which every option has a value.
     *
     * @param options full names of the options, with their dashes
     * @throws StageException of kind input if an option is unknown, ambiguous or without a value
     */
    static ToolArguments parse(List<String> list, List<String> options) {
        ToolArguments arguments = new ToolArguments();
        for (int i = 0; i < list.size(); i++) {
            String each = list.get(i);
            if (!each.startsWith("--")) {
                arguments.others.add(each);
                continue;
            }
            int equals = each.indexOf('=');
            String option = option(equals < 0 ? each : each.substring(0, equals), options);
            if (equals >= 0) {
                arguments.given.put(option, each.substring(equals + 1));
            } else if (i + 1 < list.size() && !list.get(i + 1).startsWith("--")) {
                arguments.given.put(option, list.get(++i));
            } else {
                throw wrong(option, "expected a value");
            }
        }
        return arguments;
    }

    private static String option(String text, List<String> options) {
        if (options.contains(text)) {
            return text;
        }
        List<String> matches = options.stream().filter(o -> o.startsWith(text)).toList();
        if (matches.size() != 1) {
            throw wrong(text, matches.isEmpty() ? "unknown option" : "ambiguous option");
        }
        return matches.get(0);
    }

    private static StageException wrong(String where, String what) {
        return StageException.input(Problem.of("case", where, what));
    }

    /** ToolArguments that are no options, in order. */
    List<String> others() {
        return others;
    }

    Optional<String> find(String option) {
        return Optional.ofNullable(given.get(option));
    }

    /** A value that must be there. */
    String get(String option) {
        return find(option).orElseThrow(() -> wrong(option, "is required"));
    }

    /** A whole number that must be there. */
    long number(String option) {
        return number(option, get(option));
    }

    /** A whole number with a default. */
    long number(String option, long otherwise) {
        return find(option).map(text -> number(option, text)).orElse(otherwise);
    }

    /** A whole number that must be there and counts something. */
    int count(String option) {
        return Math.toIntExact(number(option));
    }

    /** A number without the single underscores that Python takes between digits. */
    static String digits(String text) {
        return text.strip().replaceAll("(?<=\\d)_(?=\\d)", "");
    }

    private static long number(String option, String text) {
        try {
            return Long.parseLong(digits(text));
        } catch (NumberFormatException notANumber) {
            throw wrong(option, "expected a whole number, found '" + text + "'");
        }
    }
}
