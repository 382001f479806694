package dev.stagesim.sim.network.packet;

import java.util.Arrays;

/**
 * How receivers echo marks: each at once, as the reference does, or some time later and not too often, as network cards
 * send notifications of congestion.
 */
final class CnpScheduler {
    private static final long NONE = -1;

    private final long period;
    private final long delay;
    /** By flow: when the next notice is due, and when the last one was caused. */
    private long[] dueAt = {};

    private long[] causedAt = {};

    CnpScheduler(CongestionSpec congestion) {
        period = congestion.noticePeriodNs();
        delay = congestion.noticeDelayNs();
    }

    /** Whether marks are held back at all. */
    boolean isDelaying() {
        return period > 0 || delay > 0;
    }

    void start(int flow) {
        dueAt = withRoomFor(dueAt, flow);
        causedAt = withRoomFor(causedAt, flow);
        dueAt[flow] = NONE;
        causedAt[flow] = NONE;
    }

    private static long[] withRoomFor(long[] array, int flow) {
        return flow < array.length ? array : Arrays.copyOf(array, Math.max(64, 2 * flow));
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
