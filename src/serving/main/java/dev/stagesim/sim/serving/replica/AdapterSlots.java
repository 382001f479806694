package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * LoRA adapters in the slots of a device, with least-recently-used eviction. All adapters of a step must be loaded.
 *
 * <p>The number of adapters of a step never exceeds the number of slots, so it never evicts an adapter of the same step.
 */
final class AdapterSlots {
    private final SchedulerSpec.Lora lora;
    private final Set<Integer> slots = new LinkedHashSet<>();
    private final Set<Integer> used = new LinkedHashSet<>();
    private long loads;

    AdapterSlots(SchedulerSpec.Lora lora) {
        this.lora = lora;
    }

    /** Loads the adapters of a batch and returns the additional time of the step. */
    double seconds(Batch batch, RequestTrace trace) {
        used.clear();
        for (int i = 0; i < batch.size; i++) {
            used.add(trace.adapter(batch.requests[i]));
        }
        used.remove(0);
        int cold = 0;
        for (Integer adapter : used) {
            cold += slots.remove(adapter) ? 0 : 1;
            slots.add(adapter);
        }
        Iterator<Integer> oldest = slots.iterator();
        for (int over = slots.size() - lora.slots(); over > 0; over--) {
            oldest.next();
            oldest.remove();
        }
        loads += cold;
        return cold * lora.loadSeconds() + used.size() * lora.readSeconds();
    }

    /** Returns the number of adapter loads so far. */
    long loads() {
        return loads;
    }
}
