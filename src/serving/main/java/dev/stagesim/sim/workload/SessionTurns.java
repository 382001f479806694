package dev.stagesim.sim.workload;

import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.function.IntToDoubleFunction;
import java.util.function.IntToLongFunction;

/** The turns of sessions. A later turn follows the previous answer after the time between their two arrivals. */
public final class SessionTurns {
    private final int[] next;
    private final int[] turn;
    private final double[] gap;

    /**
     * Links the requests of each session in their order.
     *
     * @param session session of a request
     * @param arrivalSeconds arrival time of a request
     */
    public SessionTurns(int size, IntToLongFunction session, IntToDoubleFunction arrivalSeconds) {
        next = new int[size];
        Arrays.fill(next, -1);
        turn = new int[size];
        gap = new double[size];
        Map<Long, Integer> last = new LinkedHashMap<>();
        for (int i = 0; i < size; i++) {
            Integer before = last.put(session.applyAsLong(i), i);
            if (before != null) {
                next[before] = i;
                turn[i] = turn[before] + 1;
                gap[i] = arrivalSeconds.applyAsDouble(i) - arrivalSeconds.applyAsDouble(before);
            }
        }
    }

    /** Returns the next turn after a request, or -1 if there is none. */
    public int next(int request) {
        return next[request];
    }

    /** Returns the number of earlier turns. */
    public int turn(int request) {
        return turn[request];
    }

    /** Returns the seconds from the previous answer to a turn. */
    public double gap(int request) {
        return gap[request];
    }

    /** Returns true if any session has a second turn. */
    public boolean isAny() {
        return Arrays.stream(turn).anyMatch(before -> before > 0);
    }

    /** Returns the number of sessions. */
    public int sessions() {
        return (int) Arrays.stream(turn).filter(before -> before == 0).count();
    }
}
