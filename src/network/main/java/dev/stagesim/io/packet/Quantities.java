package dev.stagesim.io.packet;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.OptionalLong;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Rates and durations in these files: a number and a unit without a space. */
final class Quantities {
    private static final Pattern QUANTITY = Pattern.compile("([-+]?[0-9.]+(?:[eE][-+]?[0-9]+)?)([A-Za-z/]*)");
    private static final Map<String, Double> RATES = new LinkedHashMap<>();
    private static final Map<String, Double> TIMES = new LinkedHashMap<>();
    private static final double LARGEST = 9e18;

    static {
        String[] prefixes = {"", "k", "K", "M", "G", "T"};
        double[] factors = {1, 1e3, 1e3, 1e6, 1e9, 1e12};
        for (int i = 0; i < prefixes.length; i++) {
            rate(prefixes[i], factors[i]);
        }
        rate("Ki", 1024);
        rate("Mi", 1024.0 * 1024);
        rate("Gi", 1024.0 * 1024 * 1024);
        TIMES.put("s", 1e9);
        TIMES.put("ms", 1e6);
        TIMES.put("us", 1e3);
        TIMES.put("ns", 1.0);
        TIMES.put("ps", 1e-3);
        TIMES.put("fs", 1e-6);
        TIMES.put("min", 60e9);
        TIMES.put("h", 3600e9);
    }

    private Quantities() {}

    private static void rate(String prefix, double factor) {
        RATES.put(prefix + "bps", factor);
        RATES.put(prefix + "b/s", factor);
        RATES.put(prefix + "Bps", 8 * factor);
        RATES.put(prefix + "B/s", 8 * factor);
    }

    /** Bits per second of a rate such as {@code 100Gbps} or {@code 1MB/s}, truncated; empty if the text is no rate. */
    static OptionalLong rate(String text) {
        Matcher matcher = QUANTITY.matcher(text);
        if (!matcher.matches()) {
            return OptionalLong.empty();
        }
        Double factor = matcher.group(2).isEmpty() ? Double.valueOf(1) : RATES.get(matcher.group(2));
        return factor == null ? OptionalLong.empty() : whole(matcher.group(1), factor, false);
    }

    /** Nanoseconds of a duration such as {@code 0.001ms}, rounded. The default unit is seconds. */
    static OptionalLong duration(String text) {
        Matcher matcher = QUANTITY.matcher(text);
        if (!matcher.matches()) {
            return OptionalLong.empty();
        }
        Double factor = matcher.group(2).isEmpty() ? Double.valueOf(1e9) : TIMES.get(matcher.group(2));
        return factor == null ? OptionalLong.empty() : whole(matcher.group(1), factor, true);
    }

    private static OptionalLong whole(String number, double factor, boolean rounded) {
        double value;
        try {
            value = Double.parseDouble(number) * factor;
        } catch (NumberFormatException e) {
            return OptionalLong.empty();
        }
        if (!(value >= 0 && value <= LARGEST)) {
            return OptionalLong.empty();
        }
        return OptionalLong.of(rounded ? Math.round(value) : (long) value);
    }
}
