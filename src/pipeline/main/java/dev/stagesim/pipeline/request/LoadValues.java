package dev.stagesim.pipeline.request;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.Arrays;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** Values of the short keys of a load: token counts, ranges, distributions, and the burstiness and speed of arrivals. */
final class LoadValues {
    /** Override of lengths of which one varies. */
    static final String KIND = "workload.lengths.kind=distributions";

    private static final Pattern LENGTH = Pattern.compile("(prompt|output)_tokens\\s*=(.*)", Pattern.DOTALL);
    private static final Pattern DRAWN = Pattern.compile("\\d+\\s*\\.\\.\\s*\\d+|lognormal\\(.*\\)");
    private static final Pattern OTHER_RANGE = Pattern.compile("(\\d+)\\s*(?:-|:|~|to)\\s*(\\d+)");
    private static final Pattern NUMBER = Pattern.compile("\\d+");
    private static final Pattern COMMA = Pattern.compile(",(?![^(]*\\))");

    private LoadValues() {}

    /** Returns true if any word sets a length that varies, so that both lengths are given as distributions. */
    static boolean hasDistribution(List<String> words) {
        return words.stream()
                .map(LENGTH::matcher)
                .filter(Matcher::matches)
                .flatMap(parts -> parts(parts.group(2)).stream())
                .anyMatch(part -> DRAWN.matcher(part).matches());
    }

    /** Returns the alternatives of a value, without brackets and quotes. */
    private static List<String> parts(String value) {
        String text = value.strip().replaceAll("^\\[(.*)]$", "$1");
        return Arrays.stream(COMMA.split(text, -1))
                .map(part -> part.strip().replaceAll("^(['\"])(.*)\\1$", "$2"))
                .toList();
    }

    /** Returns the overrides of a length as a distribution, such as {@code 1000..2000}. */
    static List<String> distribution(String key, String value) {
        String length = key.equals("prompt_tokens") ? "prefill_tokens" : "decode_tokens";
        return List.of(
                KIND,
                "workload.lengths." + length + "="
                        + parts(value).stream()
                                .map(part -> isLength(part) ? "'" + part + "'" : part)
                                .collect(Collectors.joining(",")));
    }

    private static boolean isLength(String part) {
        return NUMBER.matcher(part).matches() || DRAWN.matcher(part).matches();
    }

    /**
     * Rejects other notations of a range.
     *
     * @throws StageException (input) with the notation to use
     */
    static void checkLength(String word, String key, String value) {
        Matcher range = OTHER_RANGE.matcher(value.strip());
        if (range.matches()) {
            throw StageException.input(Problem.usage(word, "is not a number of tokens")
                    .hint("write a range as " + key + "=" + range.group(1) + ".." + range.group(2) + ", or use " + key
                            + "='lognormal(mean=" + range.group(1) + ",cv=0.5)'"));
        }
    }

    /**
     * Returns 1 / value^{@code exponent}: the coefficients of variation of gamma-distributed times of given shapes, or the
     * factors on the times of a trace that is replayed at given speeds.
     */
    static String inverse(String word, String value, double exponent) {
        return Arrays.stream(value.replaceAll("^\\[|]$", "").split(",", -1))
                .map(part -> inverse(word, parse(part), exponent))
                .collect(Collectors.joining(","));
    }

    private static String inverse(String word, double value, double exponent) {
        if (!(value > 0) || Double.isInfinite(value)) {
            throw StageException.input(Problem.usage(word, "expected a positive number")
                    .hint(
                            exponent == 1
                                    ? "2 replays the arrivals in half of the time"
                                    : "1 is Poisson; lower values are burstier, higher values more even"));
        }
        return Double.toString(exponent == 1 ? 1 / value : 1 / Math.sqrt(value));
    }

    private static double parse(String text) {
        try {
            return Double.parseDouble(text.strip());
        } catch (NumberFormatException e) {
            return Double.NaN;
        }
    }
}
