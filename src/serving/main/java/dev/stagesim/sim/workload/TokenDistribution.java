package dev.stagesim.sim.workload;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.core.RealMath;
import dev.stagesim.sim.core.Variates;
import java.util.function.IntSupplier;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A distribution of a number of tokens.
 *
 * @param mean mean of the log-normal distribution before its bounds apply, or 0 for a uniform distribution
 * @param cv coefficient of variation of the log-normal distribution
 * @param min minimum
 * @param max maximum
 */
public record TokenDistribution(double mean, double cv, int min, int max) {
    /** Maximum number of tokens. */
    public static final int MAX_TOKENS = 1_000_000_000;

    private static final String FORMS = "expected a number, a range such as 1000..2000, or lognormal(mean=2000,cv=0.5)";
    private static final Pattern RANGE = Pattern.compile("(\\d{1,10})(?:\\s*\\.\\.\\s*(\\d{1,10}))?");
    private static final Pattern LOG_NORMAL = Pattern.compile("lognormal\\((.*)\\)");

    /**
     * Reads a number, a range, or a log-normal distribution.
     *
     * @throws IllegalArgumentException with the reason
     */
    public static TokenDistribution parse(String text) {
        Matcher range = RANGE.matcher(text.strip());
        if (range.matches()) {
            String last = range.group(2) == null ? range.group(1) : range.group(2);
            return checked(0, 0, Long.parseLong(range.group(1)), Long.parseLong(last), text);
        }
        Matcher logNormal = LOG_NORMAL.matcher(text.strip());
        if (!logNormal.matches()) {
            throw new IllegalArgumentException("found '" + text + "', " + FORMS);
        }
        double mean = 0;
        double cv = 1;
        double min = 1;
        double max = MAX_TOKENS;
        for (String setting : logNormal.group(1).split(",", -1)) {
            String[] sides = setting.split("=", 2);
            double value = number(sides[sides.length - 1], text);
            switch (sides[0].strip()) {
                case "mean" -> mean = value;
                case "cv" -> cv = value;
                case "min" -> min = value;
                case "max" -> max = value;
                default -> throw new IllegalArgumentException("found '" + text + "', " + FORMS + " with min and max");
            }
        }
        if (!(mean > 0) || mean > MAX_TOKENS || !(cv >= 0) || cv > MAX_CV) {
            throw new IllegalArgumentException(
                    "found '" + text + "', expected a positive mean and a cv from 0 to " + MAX_CV);
        }
        return checked(mean, cv, Math.round(min), Math.round(max), text);
    }

    private static final int MAX_CV = 100;

    private static double number(String text, String all) {
        try {
            return Double.parseDouble(text.strip());
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException("found '" + all + "', " + FORMS, e);
        }
    }

    private static TokenDistribution checked(double mean, double cv, long min, long max, String text) {
        if (min < 1 || max > MAX_TOKENS || min > max) {
            throw new IllegalArgumentException(
                    "found '" + text + "', expected at least 1 token and an ascending range up to " + MAX_TOKENS);
        }
        return new TokenDistribution(mean, cv, (int) min, (int) max);
    }

    /** Returns true if all draws are equal. */
    public boolean isConstant() {
        return min == max;
    }

    /** Returns a source of draws. */
    IntSupplier draws(RandomStream random) {
        if (mean == 0) {
            return () -> (int) (min + random.below((long) max - min + 1));
        }
        RealMath math = new RealMath();
        Variates normal = new Variates(random);
        double sigma = Math.sqrt(math.log(1 + cv * cv));
        double median = mean / Math.sqrt(1 + cv * cv);
        return () -> {
            double value = median * math.exp(sigma * normal.normal());
            return (int) Math.max(min, Math.min(max, Math.rint(value)));
        };
    }
}
