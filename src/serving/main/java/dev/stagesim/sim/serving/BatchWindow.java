package dev.stagesim.sim.serving;

import java.util.BitSet;
import java.util.EnumSet;
import java.util.Set;

/**
 * The batches that count in the metrics: those with numbers in a range. A request counts unless its last batch is
 * outside.
 *
 * <p><b>Caveats:</b> must stand before the recorders that ask it.
 */
public final class BatchWindow implements ServingRecorder {
    private final long first;
    private final long last;
    private final BitSet left = new BitSet();
    private boolean open = true;

    /** A window from batch {@code first} to batch {@code last}, both included. */
    public BatchWindow(long first, long last) {
        this.first = first;
        this.last = last;
    }

    /** A window that every batch is in. */
    public static BatchWindow all() {
        return new BatchWindow(0, Long.MAX_VALUE);
    }

    /** True when no batch is outside. */
    public boolean isAll() {
        return first <= 0 && last == Long.MAX_VALUE;
    }

    public boolean holds(long batch) {
        return batch >= first && batch <= last;
    }

    /** Whether the batch that ended last counts. */
    public boolean open() {
        return open;
    }

    /** Whether a request completed in a batch that does not count. */
    public boolean leftOut(int request) {
        return left.get(request);
    }

    /** Requests that completed in batches that do not count. */
    public int leftOut() {
        return left.cardinality();
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCH_ENDED);
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        open = holds(batch.id());
    }

    @Override
    public void requestCompleted(int request, double time, RequestStates states) {
        if (!open) {
            left.set(request);
        }
    }
}
