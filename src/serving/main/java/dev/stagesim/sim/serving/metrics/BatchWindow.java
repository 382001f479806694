package dev.stagesim.sim.serving.metrics;

import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;

/**
 * The range of batch numbers that count in the metrics. A request counts unless its last batch is outside the range.
 *
 * <p><b>Caveat:</b> must be registered before the recorders that read it.
 */
public final class BatchWindow implements ServingRecorder {
    private final long first;
    private final long last;
    private final BitSet left = new BitSet();
    private boolean open = true;

    /** Creates a window from batch {@code first} to batch {@code last}, both included. */
    public BatchWindow(long first, long last) {
        this.first = first;
        this.last = last;
    }

    /** Returns a window of all batches. */
    public static BatchWindow all() {
        return new BatchWindow(0, Long.MAX_VALUE);
    }

    /** Returns true if the window contains all batches. */
    public boolean isAll() {
        return first <= 0 && last == Long.MAX_VALUE;
    }

    public boolean holds(long batch) {
        return batch >= first && batch <= last;
    }

    /** Returns true if the batch that ended last counts. */
    public boolean open() {
        return open;
    }

    /** Returns true if a request completed in a batch that does not count. */
    public boolean isExcluded(int request) {
        return left.get(request);
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
    public void batchEnded(Batch batch, double time, RequestStates states) {
        open = holds(batch.id);
    }

    @Override
    public void requestCompleted(int request, double time, RequestStates states) {
        if (!open) {
            left.set(request);
        }
    }
}
