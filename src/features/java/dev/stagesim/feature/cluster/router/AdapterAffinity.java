package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.Loads;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * An instance that has the request's LoRA adapter, against its load.
 *
 * <p>What instances have is what they were sent last, as many adapters as they have slots. The instances of an adapter stand
 * in order of their loads, so that a choice looks at one of them; a change of load costs as many orders as there are slots.
 */
public final class AdapterAffinity implements Router {
    /** Its section. */
    @Variant(
            "adapter | Of the instances that were sent the request's LoRA adapter last, as many adapters as they have slots,"
                    + " the one with the fewest requests, where it has at most spread more than the least loaded of all;"
                    + " else that one. The first of equals.")
    public record Settings(
            @Key("Requests more that an instance with the adapter may have. | 8 | requests | 0..1000000000") int spread)
            implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new AdapterAffinity(group, spread);
        }
    }

    private final Prompts prompts;
    private final int[] slots;
    private final int spread;
    private final AvailableInstances members;
    private final Loads loads;

    /** Adapters of each instance, the one used longest ago first. */
    private final List<LinkedHashMap<Integer, Boolean>> adapters = new ArrayList<>();

    private final Map<Integer, TreeSet<Integer>> holders = new LinkedHashMap<>();

    private AdapterAffinity(RoutingGroup group, int spread) {
        prompts = group.prompts();
        slots = group.adapterSlots();
        this.spread = spread;
        members = group.members();
        loads = new Loads(group);
        for (int i = 0; i < group.size(); i++) {
            adapters.add(new LinkedHashMap<>(16, 0.75f, true));
        }
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        for (int instance : holders(prompts.trace().adapter(request))) {
            if (members.isOpen(instance)) {
                return loads.get(instance) <= loads.value() + spread ? instance : loads.least();
            }
        }
        return loads.least();
    }

    private TreeSet<Integer> holders(int adapter) {
        return holders.computeIfAbsent(
                adapter,
                none -> new TreeSet<>(
                        Comparator.<Integer>comparingDouble(loads::get).thenComparingInt(instance -> instance)));
    }

    private void add(int instance, int more) {
        adapters.get(instance).keySet().forEach(adapter -> holders(adapter).remove(instance));
        loads.add(instance, more);
        adapters.get(instance).keySet().forEach(adapter -> holders(adapter).add(instance));
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        int adapter = prompts.trace().adapter(request);
        LinkedHashMap<Integer, Boolean> instanceAdapters = adapters.get(instance);
        if (adapter > 0 && slots[instance] > 0) {
            instanceAdapters.put(adapter, true);
            if (instanceAdapters.size() > slots[instance]) {
                int last = instanceAdapters.keySet().iterator().next();
                instanceAdapters.remove(last);
                holders(last).remove(instance);
            }
        }
        add(instance, 1);
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        add(instance, -1);
    }

    @Override
    public void opened(int instance) {
        adapters.get(instance).keySet().forEach(adapter -> holders(adapter).remove(instance));
        adapters.get(instance).clear();
        loads.changed(instance);
    }

    @Override
    public void closed(int instance) {
        loads.changed(instance);
    }
}
