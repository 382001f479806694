package dev.stagesim.sim.serving;

import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;

/** Recycles batches, so that a long run allocates no more of them than are ever in use at once. */
final class BatchPool {
    private final List<Batch> all = new ArrayList<>();
    private final IntDeque free = new IntDeque();
    private final Supplier<Cohort> cohorts;

    BatchPool(Supplier<Cohort> cohorts) {
        this.cohorts = cohorts;
    }

    Batch take() {
        if (free.isEmpty()) {
            Batch batch = new Batch(all.size(), cohorts.get());
            all.add(batch);
            return batch;
        }
        Batch batch = all.get(free.removeLast());
        batch.reset();
        return batch;
    }

    Batch get(int slot) {
        return all.get(slot);
    }

    /** Brings the accounts of all requests in batches up to date. */
    void dissolveCohorts() {
        for (Batch batch : all) {
            batch.cohort.dissolve();
        }
    }

    void release(Batch batch) {
        free.addLast(batch.slot);
    }
}
