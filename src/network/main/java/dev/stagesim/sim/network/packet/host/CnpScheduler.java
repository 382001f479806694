package dev.stagesim.sim.network.packet.host;

import dev.stagesim.sim.network.packet.state.CongestionControl;
import java.util.Arrays;

/**
 * Echo of ECN marks by receivers. The reference echoes each mark at once. Network cards instead send congestion
 * notification packets (CNP) after a delay and at a limited rate.
 */
public final class CnpScheduler {
    private static final long NONE = -1;

    private final long period;
    private final long delay;
    /** By flow: time of the next notification, and time of the mark that caused the last one. */
    private long[] dueAt = {};

    private long[] causedAt = {};

    public CnpScheduler(CongestionControl congestion) {
        period = congestion.noticePeriodNs();
        delay = congestion.noticeDelayNs();
    }

    /** True if notifications are delayed or rate-limited. */
    public boolean isDelaying() {
        return period > 0 || delay > 0;
    }

    public void start(int flow) {
        dueAt = withRoomFor(dueAt, flow);
        causedAt = withRoomFor(causedAt, flow);
        dueAt[flow] = NONE;
        causedAt[flow] = NONE;
    }

    private static long[] withRoomFor(long[] array, int flow) {
        return flow < array.length ? array : Arrays.copyOf(array, Math.max(64, 2 * flow));
    }

    /** Records data of a flow, marked or not. Returns true if the answer carries a mark. */
    public boolean echo(int flow, boolean isMarked, long now) {
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
