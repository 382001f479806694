package dev.stagesim.sim.serving;

import java.util.Iterator;
import java.util.LinkedHashSet;
import java.util.Set;

/**
 * LoRA adapters in a device's slots: a step needs all of its own there, and the one used longest ago makes room.
 *
 * <p>A step has no more adapters than there are slots, so that none of its own makes room for another.
 */
final class AdapterSlots {
    private final SchedulerSpec.Lora lora;
    private final Set<Integer> slots = new LinkedHashSet<>();
    private final Set<Integer> used = new LinkedHashSet<>();
    private long loads;

    AdapterSlots(SchedulerSpec.Lora lora) {
        this.lora = lora;
    }

    /** Brings in the adapters of a batch; returns the time that it takes longer for them. */
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

    /** Adapters that were loaded so far. */
    long loads() {
        return loads;
    }
}
