package dev.stagesim.sim.systolic;

import java.util.function.DoubleUnaryOperator;

/**
 * Sums of many equal terms in double precision, bit-identical to repeated addition.
 *
 * <p>Between two powers of two, each addition increases the sum by the same amount after the first addition has settled
 * the rounding of ties. Therefore the number of steps grows with the logarithm of the number of terms.
 */
final class RepeatedSum {
    private RepeatedSum() {}

    /** Returns {@code sum} after adding a non-negative term {@code times} times. */
    static double add(double sum, double term, long times) {
        return repeat(sum, times, at -> at + term);
    }

    /**
     * Returns {@code sum} after {@code times} rounds. Each round adds the same non-negative terms in the same order.
     */
    static double repeat(double sum, long times, DoubleUnaryOperator round) {
        double at = sum;
        long left = times;
        while (left > 0) {
            double start = at;
            double first = round.applyAsDouble(start);
            left--;
            if (first == start) {
                // Terms too small to change the sum never change it later.
                return start;
            }
            if (left < 2) {
                at = first;
                continue;
            }
            // Rounding of ties depends on the last bit, so the increase repeats after two rounds, not always after one.
            at = round.applyAsDouble(round.applyAsDouble(first));
            left -= 2;
            int exponent = Math.getExponent(at);
            if (Math.getExponent(start) == exponent) {
                double move = at - first;
                double room = (Math.scalb(1.0, exponent + 1) - at) / move;
                long pairs = Math.max(0, Math.min(left / 2, (long) room - 2));
                at += pairs * move;
                left -= 2 * pairs;
            }
        }
        return at;
    }
}
