package dev.stagesim.sim.serving;

import java.util.ArrayList;
import java.util.List;

/** Recycles batches, so that a long run allocates no more of them than are ever in use at once. */
final class BatchPool {
    private final List<Batch> all = new ArrayList<>();
    private final IntDeque free = new IntDeque();

    Batch take() {
        if (free.isEmpty()) {
            Batch batch = new Batch(all.size());
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

    void release(Batch batch) {
        free.addLast(batch.slot);
    }
}
