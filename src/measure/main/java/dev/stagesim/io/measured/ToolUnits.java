package dev.stagesim.io.measured;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.io.json.LocatedJson;
import java.util.Locale;

/** ToolUnits of time in the spellings of different tools, and the accepted range of measured times. */
public final class ToolUnits {
    /** One year in ns. Longer times are markers or overflows. */
    public static final long MAX_NS = 365L * 86_400 * 1_000_000_000L;

    private static final String UNITS = "a unit of time: ns, us, ms or s";

    private static final double SECONDS_PER_MINUTE = 60;
    private static final double MS_PER_S = 1e3;

    /** The sum of two such times does not overflow. */
    private static final long CLAMP_NS = 1L << 61;

    private ToolUnits() {}

    /** Returns the nanoseconds in a unit. An unknown unit is an input error. */
    public static double ns(LocatedJson unit) {
        try {
            return ns(unit.asString());
        } catch (IllegalArgumentException unknown) {
            throw unit.expected(UNITS);
        }
    }

    /**
     * Returns the nanoseconds in a unit.
     *
     * @throws IllegalArgumentException if the unit is unknown
     */
    public static double ns(String unit) {
        String name = unit.toLowerCase(Locale.ROOT);
        int per = name.indexOf('/');
        return switch (per < 0 ? name : name.substring(0, per)) {
            case "ns", "nanoseconds" -> 1;
            case "us", "\u00b5s", "microseconds" -> 1e3;
            case "ms", "milliseconds" -> 1e6;
            case "s", "sec", "seconds" -> 1e9;
            default -> throw new IllegalArgumentException("unit '" + unit + "', expected " + UNITS);
        };
    }

    /** Returns the factor from a unit such as {@code tokens/s} to counts per second. An unknown unit is an input error. */
    static double perSecond(LocatedJson unit) {
        String[] parts = unit.asString().toLowerCase(Locale.ROOT).split("/|\\bper +", -1);
        String time = parts.length == 2 ? parts[1].strip() : "";
        return switch (time) {
            case "s", "sec", "second", "seconds" -> 1;
            case "min", "minute", "minutes" -> 1.0 / SECONDS_PER_MINUTE;
            case "ms" -> MS_PER_S;
            default -> throw unit.expected("a unit of a rate, such as tokens/s or requests/sec");
        };
    }

    /** Rounds to whole nanoseconds. NaN and out-of-range numbers become times that no check accepts. */
    public static long round(double ns) {
        return Double.isNaN(ns) ? -CLAMP_NS : clamp(Math.round(ns));
    }

    /** Returns the nanoseconds of a time in seconds, like {@link #round}. */
    public static long nanos(double seconds) {
        return round(seconds * NS_PER_S);
    }

    /** Returns the time from {@code origin} to {@code stamp}, clamped on overflow. */
    public static long since(long stamp, long origin) {
        long difference = stamp - origin;
        boolean overflows = ((stamp ^ origin) & (stamp ^ difference)) < 0;
        return overflows ? (stamp < origin ? -CLAMP_NS : CLAMP_NS) : clamp(difference);
    }

    private static long clamp(long ns) {
        return Math.max(-CLAMP_NS, Math.min(CLAMP_NS, ns));
    }

    /** True from 0 to a year. */
    public static boolean isDuration(double ns) {
        return ns >= 0 && ns <= MAX_NS;
    }

    /** Returns a time as text for messages. */
    public static String ms(double ns) {
        return Math.abs(ns) >= CLAMP_NS ? "no number or a number beyond any time" : ns / NS_PER_MS + " ms";
    }
}
