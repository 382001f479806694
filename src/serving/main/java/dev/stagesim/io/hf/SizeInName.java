package dev.stagesim.io.hf;

import java.util.Locale;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * Finds the number of parameters in a model's name, for example 49 in {@code Nemotron-Super-49B-v1} and 0.6 in {@code
 * Qwen3-0.6B}.
 */
final class SizeInName {
    /**
     * A number and its unit that are not part of a longer word; {@code A3B} counts active parameters, {@code 128E}
     * experts.
     */
    private static final Pattern SIZE =
            Pattern.compile("(?<![A-Za-z0-9.])(?:(\\d{1,3})x)?(\\d{1,4}(?:\\.\\d{1,3})?)([MBTmbt])(?![A-Za-z0-9])");

    private SizeInName() {}

    /**
     * Returns the billions of parameters; empty if the name has no number, or only one of experts or active parameters.
     */
    static Optional<Double> of(String name) {
        Matcher size = SIZE.matcher(name.substring(name.lastIndexOf('/') + 1));
        Optional<Double> found = Optional.empty();
        while (size.find()) {
            if (size.group(1) != null) {
                return Optional.empty(); // 8x7B: experts share attention
            }
            double number = Double.parseDouble(size.group(2));
            double billions =
                    switch (size.group(3).toUpperCase(Locale.ROOT)) {
                        case "M" -> number / 1e3;
                        case "T" -> number * 1e3;
                        default -> number;
                    };
            if (found.isEmpty() && billions > 0) {
                found = Optional.of(billions);
            }
        }
        // Llama-4-Scout-17B-16E: the number counts active parameters
        return name.matches(".*\\d+[Bb]-\\d+[Ee]\\b.*") ? Optional.empty() : found;
    }
}
