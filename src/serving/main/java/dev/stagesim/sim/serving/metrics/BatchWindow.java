package dev.stagesim.sim.serving.metrics;

import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;

/**
 * The range of batch numbers that count in the metrics. A request counts unless its last batch is outside the range, or
 * it belongs to the warm-up. Batches count after the warm-up, when the first other request has arrived.
 *
 * <p><b>Caveat:</b> must be registered before the recorders that read it.
 */
public final class BatchWindow implements ServingRecorder {
    private final long first;
    private final long last;
    private final int warmUp;
    private final BitSet left = new BitSet();
    private boolean open;
    private boolean isWarm;

    /** Creates a window from batch {@code first} to batch {@code last}, both included. */
    public BatchWindow(long first, long last) {
        this(first, last, 0);
    }

    /** Overload that excludes the first {@code warmUp} requests. */
    public BatchWindow(long first, long last, int warmUp) {
        this.first = first;
        this.last = last;
        this.warmUp = warmUp;
        isWarm = warmUp == 0;
        open = isWarm;
    }

    /** Returns a window of all batches. */
    public static BatchWindow all() {
        return new BatchWindow(0, Long.MAX_VALUE);
    }

    /** Returns true if the window contains all batches. */
    public boolean isAll() {
        return first <= 0 && last == Long.MAX_VALUE && warmUp == 0;
    }

    public boolean holds(long batch) {
        return batch >= first && batch <= last;
    }

    /** Returns true if the batch that ended last counts. */
    public boolean open() {
        return open;
    }

    /** Returns the number of first requests that do not count. */
    public int warmUp() {
        return warmUp;
    }

    /** Returns true if a request belongs to the warm-up, or completed in a batch that does not count. */
    public boolean isExcluded(int request) {
        return request < warmUp || left.get(request);
    }

    /** Returns the number of requests that completed in batches that do not count. */
    public int excludedRequests() {
        return left.cardinality();
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCH_ENDED);
    }

    @Override
    public void requestArrived(int request, double time) {
        isWarm |= request >= warmUp;
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        open = isWarm && holds(batch.id);
    }

    @Override
    public void requestCompleted(int request, double time, RequestStates states) {
        if (!open && request >= warmUp) {
            left.set(request);
        }
    }
}
