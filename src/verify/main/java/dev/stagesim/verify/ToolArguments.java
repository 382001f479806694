package dev.stagesim.verify;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** An argument list of a Python tool, read by the rules of argparse: unique beginnings of options, and {@code --x=v}. */
public final class ToolArguments {
    private final Map<String, String> given = new LinkedHashMap<>();
    private final List<String> others = new ArrayList<>();

    private ToolArguments() {}

    /** Reads a list in which every option has a value. */
    public static ToolArguments parse(List<String> words, List<String> options) {
        return parse(words, options, List.of());
    }

    /**
     * Reads a list.
     *
     * @param options full names of all options, with their dashes
     * @param flags options without a value
     * @throws StageException of kind input if an option is unknown, ambiguous or without its value
     */
    public static ToolArguments parse(List<String> words, List<String> options, List<String> flags) {
        ToolArguments arguments = new ToolArguments();
        for (int i = 0; i < words.size(); i++) {
            String word = words.get(i);
            if (!word.startsWith("--")) {
                arguments.others.add(word);
                continue;
            }
            int equals = word.indexOf('=');
            String option = option(equals < 0 ? word : word.substring(0, equals), options);
            if (flags.contains(option) && equals >= 0) {
                throw wrong(option, "takes no value");
            } else if (flags.contains(option)) {
                arguments.given.put(option, "");
            } else if (equals >= 0) {
                arguments.given.put(option, word.substring(equals + 1));
            } else if (i + 1 < words.size() && isValue(words.get(i + 1))) {
                arguments.given.put(option, words.get(++i));
            } else {
                throw wrong(option, "expected one argument");
            }
        }
        return arguments;
    }

    /** True for words without a leading dash, negative numbers, and words with a space. */
    private static boolean isValue(String word) {
        return !word.startsWith("-") || word.matches("-\\d+|-\\d*\\.\\d+") || word.contains(" ");
    }

    private static String option(String text, List<String> options) {
        if (options.contains(text)) {
            return text;
        }
        List<String> matches = options.stream().filter(o -> o.startsWith(text)).toList();
        if (matches.size() != 1) {
            String what = matches.isEmpty() ? "unrecognized arguments: " : "ambiguous option: ";
            throw StageException.input(
                    Problem.of("usage error", text, what + text).didYouMean(Suggest.near(text, options)));
        }
        return matches.get(0);
    }

    /** Returns a usage error. */
    public static StageException wrong(String option, String what) {
        return StageException.input(Problem.of("usage error", option, what));
    }

    /** Returns the words that are no options, in order. */
    public List<String> others() {
        return others;
    }

    public boolean has(String option) {
        return given.containsKey(option);
    }

    public Optional<String> find(String option) {
        return Optional.ofNullable(given.get(option));
    }

    /** Returns the value of a required option. */
    public String get(String option) {
        return find(option).orElseThrow(() -> wrong(option, "is required"));
    }

    /** Returns the whole number of a required option. */
    public long number(String option) {
        return number(option, get(option));
    }

    public long number(String option, long otherwise) {
        return find(option).map(text -> number(option, text)).orElse(otherwise);
    }

    /** Returns the number of a required option as an int. */
    public int count(String option) {
        return Math.toIntExact(number(option));
    }

    /** Returns a number without the single underscores that Python allows between digits. */
    public static String digits(String text) {
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
