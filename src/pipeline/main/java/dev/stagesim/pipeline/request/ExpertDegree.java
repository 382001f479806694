package dev.stagesim.pipeline.request;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The short key {@code ep}: engines spread each expert over all of their devices, or place whole experts on them. */
final class ExpertDegree {
    private static final Pattern SWITCH = Pattern.compile("\\[?(true|false)(,\\s*(true|false))*]?");
    private static final Pattern TENSOR = Pattern.compile("(?:tp|cluster\\.tensor_parallel_size)\\s*=\\s*(.*)");
    private static final Pattern DATA = Pattern.compile("(?:dp|scheduler\\.data_parallel_size)\\s*=\\s*(.*)");

    private ExpertDegree() {}

    /**
     * Returns whether a degree of expert parallelism places whole experts on devices. Also accepts {@code true} and
     * {@code false}, or several of them, as the engines do.
     *
     * @param isPool whether replicas are instances of a pool, which have one engine
     * @throws StageException (input) if the degree is not 1 or the number of devices of a replica
     */
    static String isParallel(String word, String value, List<String> words, boolean isPool) {
        if (isSwitch(value)) {
            return value;
        }
        long devices = degree(TENSOR, word, words) * degree(DATA, word, words);
        if (value.equals("1")) {
            return "false";
        }
        if (!value.equals(Long.toString(devices))) {
            throw StageException.input(Problem.usage(
                            word,
                            "must be 1 or tp" + (isPool ? "" : " × dp") + ", which is " + devices
                                    + ": engines place experts on all of their devices")
                    .hint((devices == 1 && value.matches("[1-9]\\d*")
                                    ? "set tp=" + value + (isPool ? "" : " or dp=" + value) + " as well"
                                    : "set ep=1 or ep=" + devices)
                            + ", or ep=true for all devices"));
        }
        return "true";
    }

    /** Returns true if a value is true or false, or a list of them, instead of degrees. */
    static boolean isSwitch(String value) {
        return SWITCH.matcher(value).matches();
    }

    private static long degree(Pattern key, String word, List<String> words) {
        long degree = 1;
        for (String other : words) {
            Matcher parts = key.matcher(other);
            if (parts.matches()) {
                if (!parts.group(1).strip().matches("\\d{1,6}")) {
                    throw StageException.input(Problem.usage(word, "requires one value of tp and of dp")
                            .hint("set ep=true"));
                }
                degree = Long.parseLong(parts.group(1).strip());
            }
        }
        return degree;
    }
}
