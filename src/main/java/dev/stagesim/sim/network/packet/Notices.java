package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * How receivers echo marks: each at once, as the reference does, or some time later and not too often, as network cards
 * send notifications of congestion.
 */
final class Notices {
    private static final long NONE = -1;

    private final long period;
    private final long delay;
    /** By flow: when the next notice is due, and when the last one was caused. */
    private long[] dueAt = {};

    private long[] causedAt = {};

    Notices(CongestionSpec congestion) {
        period = congestion.noticePeriodNs();
        delay = congestion.noticeDelayNs();
    }

    /** Whether marks are held back at all. */
    boolean areHeld() {
        return period > 0 || delay > 0;
    }

    void start(int flow) {
        dueAt = atLeast(dueAt, flow);
        causedAt = atLeast(causedAt, flow);
        dueAt[flow] = NONE;
        causedAt[flow] = NONE;
    }

    private static long[] atLeast(long[] figures, int flow) {
        return flow < figures.length ? figures : Arrays.copyOf(figures, Math.max(64, 2 * flow));
    }

    /** Data of a flow arrived, marked or not; returns whether its answer carries a mark. */
    boolean echo(int flow, boolean isMarked, long now) {
        if (isMarked && dueAt[flow] == NONE && (causedAt[flow] == NONE || now - causedAt[flow] >= period)) {
            causedAt[flow] = now;
            dueAt[flow] = now + delay;
        }
        if (dueAt[flow] == NONE || now < dueAt[flow]) {
            return false;
        }
        dueAt[flow] = NONE;
        return true;
    }
}
