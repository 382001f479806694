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
        if (free.isEmpty()) {
            Batch batch = new Batch(all.size(), cohorts.get());
            all.add(batch);
            return batch;
        }
        Batch batch = all.get(free.removeLast());
        batch.reset();
        return batch;
    }

    public Batch get(int slot) {
        return all.get(slot);
    }

    /** Updates the states of all requests in batches. */
    public void dissolveCohorts() {
        for (Batch batch : all) {
            batch.cohort.dissolve();
        }
    }

    public void release(Batch batch) {
        free.addLast(batch.slot);
    }
}
