package dev.stagesim.report;

import java.util.ArrayList;
import java.util.List;

/** Round numbers of an axis: multiples of 1, 2 or 5 times a power of ten, or powers of ten on a logarithmic axis. */
final class Ticks {
    private static final double SLACK = 1e-9;

    /** Factors of powers of ten, the densest first. */
    private static final double[][] FACTORS = {{1, 2, 5}, {1, 5}, {1}};

    private Ticks() {}

    record Tick(double value, String text) {}

    /** Returns the round step that divides {@code span} into at most {@code maxCount} parts. */
    static double step(double span, int maxCount) {
        double raw = span / maxCount;
        double power = Math.pow(10, Math.floor(Math.log10(raw)));
        for (double factor : new double[] {1, 2, 5}) {
            if (factor * power >= raw * (1 - SLACK)) {
                return factor * power;
            }
        }
        return 10 * power;
    }

    static List<Tick> linear(double low, double high, int maxCount) {
        double step = step(high - low, maxCount);
        int decimals = (int) Math.max(0, -Math.floor(Math.log10(step) + SLACK));
        List<Tick> ticks = new ArrayList<>();
        for (long i = (long) Math.ceil(low / step - SLACK); i * step <= high + step * SLACK; i++) {
            ticks.add(new Tick(i * step, Numbers.fixed(i * step, decimals)));
        }
        return ticks;
    }

    /** Returns the powers of ten in range, and their multiples by 2 or 5 if there are at most {@code maxCount}. */
    static List<Tick> logarithmic(double low, double high, int maxCount) {
        List<Tick> ticks = List.of();
        for (double[] factors : FACTORS) {
            ticks = multiples(low, high, factors);
            if (ticks.size() <= maxCount) {
                break;
            }
        }
        return ticks;
    }

    private static List<Tick> multiples(double low, double high, double[] factors) {
        int first = (int) Math.floor(Math.log10(low) + SLACK);
        int last = (int) Math.ceil(Math.log10(high) - SLACK);
        List<Tick> ticks = new ArrayList<>();
        for (int power = first; power <= last; power++) {
            for (double factor : factors) {
                double value = factor * Math.pow(10, power);
                if (value >= low * (1 - SLACK) && value <= high * (1 + SLACK)) {
                    ticks.add(new Tick(value, Numbers.fixed(value, Math.max(0, -power))));
                }
            }
        }
        return ticks;
    }
}
