package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.core.IntDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Recycles batches, so that a long run allocates only the maximum number in use at the same time. */
public final class BatchPool {
    private final List<Batch> all = new ArrayList<>();
    private final IntDeque free = new IntDeque();
    private final Supplier<Cohort> cohorts;

    public BatchPool(Supplier<Cohort> cohorts) {
        this.cohorts = cohorts;
    }

    public Batch take() {
        Batch batch;
        if (free.isEmpty()) {
            batch = new Batch(all.size(), cohorts.get());
            all.add(batch);
        } else {
            batch = all.get(free.removeLast());
            batch.reset();
        }
        batch.isInUse = true;
        return batch;
    }

    public Batch get(int slot) {
        return all.get(slot);
    }

    /** Returns the lowest number of a batch with requests that is in use; {@code none} if there is none. */
    public long firstInUse(long none) {
        long first = none;
        for (Batch batch : all) {
            first = batch.isInUse && batch.size > 0 ? Math.min(first, batch.id) : first;
        }
        return first;
    }

    /** Updates the states of all requests in batches. */
    public void dissolveCohorts() {
        for (Batch batch : all) {
            batch.cohort.dissolve();
        }
    }

    public void release(Batch batch) {
        batch.isInUse = false;
        free.addLast(batch.slot);
    }
}
