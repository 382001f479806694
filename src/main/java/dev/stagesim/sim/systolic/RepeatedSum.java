package dev.stagesim.sim.systolic;

import java.util.function.DoubleUnaryOperator;

/**
 * Sums of equal terms in double precision, to the last bit as if the terms were added one by one.
 *
 * <p>Between two powers of two, adding a term moves a sum by the same amount each time, once a first addition has settled
 * which way ties go. So the steps taken grow with the logarithm of the number of terms.
 */
final class RepeatedSum {
    private RepeatedSum() {}

    /** {@code sum} after a term of at least 0 was added {@code times} times. */
    static double add(double sum, double term, long times) {
        return repeat(sum, times, at -> at + term);
    }

    /** {@code sum} after {@code times} rounds, each of which adds the same terms of at least 0 in the same order. */
    static double repeat(double sum, long times, DoubleUnaryOperator round) {
        double at = sum;
        long left = times;
        while (left > 0) {
            double start = at;
            double first = round.applyAsDouble(start);
            left--;
            if (first == start) {
                // Terms that are too small to be seen stay so.
                return start;
            }
            if (left < 2) {
                at = first;
                continue;
            }
            // What ties do depends on the last bit, so two rounds repeat where one may not.
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
