package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.Key;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Prefers instances with the LoRA adapter of the request: 1 if it has a slot, 0.8 if a slot is free, 0.6 if it waits
 * for one.
 *
 * <p>An instance has the adapters of its unfinished requests. The earliest ones have the slots.
 */
final class LoraScorer implements Scorer {
    /** The section of this scorer. */
    record Settings(@Key("Weight of the score. | 0 | 0..1000000") double weight) implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new LoraScorer(view);
        }
    }

    private static final double HERE = 1;
    private static final double FREE = 0.8;
    private static final double COMING = 0.6;

    private final RouterView view;

    /** Number of requests by instance and adapter, in order of arrival of the adapters. */
    private final List<Map<Integer, Integer>> adapters = new ArrayList<>();

    private int adapter;

    private LoraScorer(RouterView view) {
        this.view = view;
        for (int i = 0; i < view.group.size(); i++) {
            adapters.add(new LinkedHashMap<>());
        }
    }

    @Override
    public void begin(int request) {
        adapter = view.prompts.trace().adapter(request);
    }

    @Override
    public double score(int instance) {
        Map<Integer, Integer> counts = adapters.get(instance);
        int slots = view.group.adapterSlots()[instance];
        int place = 0;
        for (int other : counts.keySet()) {
            if (other == adapter) {
                return place < slots ? HERE : COMING;
            }
            place++;
        }
        return counts.size() < slots ? FREE : 0;
    }

    @Override
    public void sent(int request, int instance) {
        if (view.prompts.trace().adapter(request) > 0) {
            adapters.get(instance).merge(view.prompts.trace().adapter(request), 1, Integer::sum);
        }
    }

    @Override
    public void done(int request, int instance) {
        adapters.get(instance)
                .computeIfPresent(view.prompts.trace().adapter(request), (key, count) -> count == 1 ? null : count - 1);
    }
}
