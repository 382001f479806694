package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.spec.OperandMemory;
import java.util.Arrays;
import java.util.List;

/** DRAM side of a memory: responds after a fixed latency, or after recorded latencies with a bounded request queue. */
final class ReplayPort {
    private static final int MAX_LATENCY = 10_000;

    private final List<Integer> latencies;
    private final boolean isReplayed;
    private final int queue;
    private final int latency;
    private long[] pending = new long[16];
    private int pendingCount;
    private int next;
    private long[] completions = new long[0];
    private long earliest;
    private long latest;

    ReplayPort(OperandMemory memory, int latency) {
        latencies = memory.latencies().orElse(List.of());
        isReplayed = memory.latencies().isPresent();
        queue = memory.queue();
        this.latency = latency;
    }

    /**
     * Issues {@code lines} requests, one per cycle from {@code first}; returns the cycle at which the last issued
     * request completes.
     */
    long last(long first, long lines) {
        if (!isReplayed) {
            earliest = first + latency;
            latest = first + lines - 1 + latency;
            return latest;
        }
        long stall = 0;
        long done = first;
        earliest = Long.MAX_VALUE;
        latest = Long.MIN_VALUE;
        if (completions.length < lines) {
            completions = new long[Math.toIntExact(lines)];
        }
        for (long i = 0; i < lines; i++) {
            long now = first + i + stall;
            done = now + nextLatency();
            earliest = Math.min(earliest, done);
            latest = Math.max(latest, done);
            completions[(int) i] = done;
            stall += queued(done, now);
        }
        return done;
    }

    /** Completion cycle of request {@code i} of the last call. */
    long completion(long i) {
        return isReplayed ? completions[(int) i] : earliest + i;
    }

    /** Earliest completion of the last call. */
    long earliest() {
        return earliest;
    }

    /** Latest completion of the last call. */
    long latest() {
        return latest;
    }

    private int nextLatency() {
        if (next >= latencies.size()) {
            return latency;
        }
        int recorded = latencies.get(next++);
        return recorded > MAX_LATENCY ? latency : recorded;
    }

    private long queued(long done, long now) {
        push(done);
        if (pendingCount < queue) {
            return 0;
        }
        if (pendingCount > queue) {
            System.arraycopy(pending, pendingCount - queue, pending, 0, queue);
            pendingCount = queue;
            return 0;
        }
        Arrays.sort(pending, 0, pendingCount);
        if (pending[0] >= now) {
            long wait = pending[0] - now;
            drop(1);
            return wait;
        }
        int gone = 0;
        while (gone < pendingCount && pending[gone] < now) {
            gone++;
        }
        drop(gone);
        return 0;
    }

    private void push(long done) {
        if (pendingCount == pending.length) {
            pending = Arrays.copyOf(pending, 2 * pendingCount);
        }
        pending[pendingCount++] = done;
    }

    private void drop(int count) {
        pendingCount -= count;
        System.arraycopy(pending, count, pending, 0, pendingCount);
    }
}
