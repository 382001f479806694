package dev.stagesim.config.bind;

import java.math.BigDecimal;
import java.math.BigInteger;
import java.math.MathContext;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Parses quantities with units: durations such as {@code 250ms}, sizes such as {@code 10MiB}. */
final class Units {
    private static final Pattern QUANTITY = Pattern.compile("([+-]?\\d+(?:\\.\\d+)?)\\s*([A-Za-zµ]+)");
    private static final Map<String, Long> NANOS = new LinkedHashMap<>();
    private static final String SIZE_LETTERS = "KMGTP";

    static {
        NANOS.put("d", 86_400_000_000_000L);
        NANOS.put("h", 3_600_000_000_000L);
        NANOS.put("m", 60_000_000_000L);
        NANOS.put("min", 60_000_000_000L);
        NANOS.put("s", 1_000_000_000L);
        NANOS.put("ms", 1_000_000L);
        NANOS.put("us", 1_000L);
        NANOS.put("µs", 1_000L);
        NANOS.put("ns", 1L);
    }

    private Units() {}

    /** Parses a duration with a unit. Returns empty if the text is not a whole number of nanoseconds. */
    static Optional<Duration> parseDuration(String text) {
        return scaled(text, NANOS::get).filter(Units::fitsLong).map(nanos -> Duration.ofNanos(nanos.longValue()));
    }

    /**
     * Parses a quantity into a whole number of {@code unit} ({@code bytes}, {@code ns}, {@code us}, {@code ms}, {@code
     * s}). Returns empty if the text has no such unit or the result is not a whole number.
     */
    static Optional<BigInteger> parse(String text, String unit) {
        if (unit.equals("bytes")) {
            return scaled(text, Units::bytes);
        }
        Long each = NANOS.get(unit);
        if (each == null) {
            return Optional.empty();
        }
        return scaled(text, NANOS::get)
                .map(nanos -> nanos.divideAndRemainder(BigInteger.valueOf(each)))
                .filter(parts -> parts[1].signum() == 0)
                .map(parts -> parts[0]);
    }

    /** Parses a duration into a number of {@code unit}. Returns empty if the text or the unit is no duration. */
    static Optional<Double> decimal(String text, String unit) {
        Long each = NANOS.get(unit);
        Matcher matcher = QUANTITY.matcher(text.strip());
        Long typed = matcher.matches() ? NANOS.get(matcher.group(2)) : null;
        return each == null || typed == null
                ? Optional.empty()
                : Optional.of(new BigDecimal(matcher.group(1))
                        .multiply(BigDecimal.valueOf(typed))
                        .divide(BigDecimal.valueOf(each), MathContext.DECIMAL64)
                        .doubleValue());
    }

    /** Formats a duration in the largest unit that gives a whole number. */
    static String render(Duration duration) {
        BigInteger nanos = BigInteger.valueOf(duration.getSeconds())
                .multiply(BigInteger.valueOf(1_000_000_000L))
                .add(BigInteger.valueOf(duration.getNano()));
        if (nanos.signum() == 0) {
            return "0s";
        }
        for (Map.Entry<String, Long> unit : NANOS.entrySet()) {
            BigInteger[] parts = nanos.divideAndRemainder(BigInteger.valueOf(unit.getValue()));
            if (parts[1].signum() == 0) {
                return parts[0] + unit.getKey();
            }
        }
        throw new IllegalStateException("unreachable: nanoseconds divide everything");
    }

    private static Optional<BigInteger> scaled(String text, Function<String, @Nullable Long> scale) {
        Matcher matcher = QUANTITY.matcher(text.strip());
        if (!matcher.matches()) {
            return Optional.empty();
        }
        Long factor = scale.apply(matcher.group(2));
        if (factor == null) {
            return Optional.empty();
        }
        BigDecimal exact = new BigDecimal(matcher.group(1)).multiply(BigDecimal.valueOf(factor));
        return exact.stripTrailingZeros().scale() > 0 ? Optional.empty() : Optional.of(exact.toBigIntegerExact());
    }

    /**
     * Returns the bytes of a unit as in HOCON: {@code KiB} is 1024, {@code kB} is 1000. Returns null for an unknown
     * unit.
     */
    private static @Nullable Long bytes(String unit) {
        String upper = unit.toUpperCase(Locale.ROOT);
        if (upper.equals("B")) {
            return 1L;
        }
        int power = SIZE_LETTERS.indexOf(upper.charAt(0)) + 1;
        if (power == 0) {
            return null;
        }
        return switch (unit.substring(1)) {
            case "iB" -> power(1024, power);
            case "B" -> power(1000, power);
            default -> null;
        };
    }

    private static long power(long base, int exponent) {
        return BigInteger.valueOf(base).pow(exponent).longValueExact();
    }

    private static boolean fitsLong(BigInteger value) {
        return value.bitLength() < Long.SIZE;
    }
}
