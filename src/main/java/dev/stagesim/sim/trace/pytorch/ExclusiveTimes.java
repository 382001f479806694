package dev.stagesim.sim.trace.pytorch;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.StableOrder;

/**
 * Time of every host operator less that of the operators that it called.
 *
 * <p>Per thread, the union of the operators that lie wholly within an operator is taken from its duration, in the order of
 * their starts. Takes the number of operators times their depth of nesting.
 */
final class ExclusiveTimes {
    private ExclusiveTimes() {}

    /**
     * Exclusive times by position in the trace; of what the host does not do, the duration.
     *
     * @param isStrict whether a negative time, which overlapping events or rounding may give, is an error instead of 0
     */
    static double[] of(DeviceTrace trace, boolean isStrict) {
        double[] exclusive = new double[trace.size()];
        for (int i = 0; i < exclusive.length; i++) {
            exclusive[i] = trace.duration(i);
        }
        for (int[] ops : trace.hostOpsByThread()) {
            StableOrder.sort(ops, (a, b) -> {
                int byStart = Double.compare(trace.start(a), trace.start(b));
                return byStart != 0 ? byStart : Double.compare(trace.duration(a), trace.duration(b));
            });
            for (int i = 0; i < ops.length; i++) {
                double own = own(trace, ops, i);
                if (own < 0 && isStrict) {
                    throw negative(trace, ops[i]);
                }
                exclusive[ops[i]] = Math.max(0, own);
            }
        }
        return exclusive;
    }

    private static double own(DeviceTrace trace, int[] ops, int at) {
        double end = trace.end(ops[at]);
        double left = trace.duration(ops[at]);
        double from = 0;
        double to = 0;
        boolean isOpen = false;
        for (int i = at + 1; i < ops.length; i++) {
            double childStart = trace.start(ops[i]);
            double childEnd = trace.end(ops[i]);
            if (childEnd <= end) {
                if (isOpen && childStart <= to) {
                    to = Math.max(to, childEnd);
                } else {
                    left -= isOpen ? to - from : 0;
                    from = childStart;
                    to = childEnd;
                    isOpen = true;
                }
            }
            if (end < childStart) {
                break;
            }
        }
        return isOpen ? left - (to - from) : left;
    }

    private static StageException negative(DeviceTrace trace, int event) {
        return StageException.input(Problem.of(
                "trace error",
                trace.source(),
                "operator '" + trace.name(event) + "' at " + trace.start(event)
                        + " us takes less time than the operators within it"));
    }
}
