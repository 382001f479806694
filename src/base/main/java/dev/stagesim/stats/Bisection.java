package dev.stagesim.stats;

import java.util.function.DoublePredicate;
import java.util.function.IntPredicate;

/** Finds the boundary of a monotone condition by bisection. */
public final class Bisection {
    private Bisection() {}

    /**
     * Returns the smallest number that satisfies a condition. The condition is not evaluated at the limits.
     *
     * @param below a number that does not satisfy the condition
     * @param above a number that satisfies the condition
     */
    public static int smallest(int below, int above, IntPredicate condition) {
        int low = below;
        int high = above;
        while (high - low > 1) {
            int middle = low + (high - low) / 2;
            if (condition.test(middle)) {
                high = middle;
            } else {
                low = middle;
            }
        }
        return high;
    }

    /**
     * Halves an interval around the boundary until it is at most {@code width} wide.
     *
     * @param isBelow true for numbers below the boundary
     * @param maxHalvings maximum number of halvings
     */
    public static Interval halve(double low, double high, DoublePredicate isBelow, double width, int maxHalvings) {
        double from = low;
        double to = high;
        for (int i = 0; i < maxHalvings && to - from > width; i++) {
            double middle = (from + to) / 2;
            if (isBelow.test(middle)) {
                from = middle;
            } else {
                to = middle;
            }
        }
        return new Interval(from, to);
    }
}
