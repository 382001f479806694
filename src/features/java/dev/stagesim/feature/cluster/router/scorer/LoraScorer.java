package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Where the request's LoRA adapter is: 1 where it is in a slot, 0.8 where a slot is free, 0.6 where it waits for one.
 *
 * <p>An instance has the adapters of the requests that were sent to it and are not done; those that came first have the slots.
 */
final class LoraScorer implements Scorer {
    private static final double HERE = 1;
    private static final double FREE = 0.8;
    private static final double COMING = 0.6;

    private final RouterView view;

    /** Requests of each adapter on each instance, the adapter that came first first. */
    private final List<Map<Integer, Integer>> adapters = new ArrayList<>();

    private int adapter;

    private LoraScorer(RouterView view) {
        this.view = view;
        for (int i = 0; i < view.group.size(); i++) {
            adapters.add(new LinkedHashMap<>());
        }
    }

    static Scorer of(RouterView view, Scorers settings) {
        return new LoraScorer(view);
    }

    @Override
    public void begin(int request) {
        adapter = view.prompts.trace().adapter(request);
    }

    @Override
    public double score(int instance) {
        Map<Integer, Integer> own = adapters.get(instance);
        int slots = view.group.adapterSlots()[instance];
        int place = 0;
        for (int one : own.keySet()) {
            if (one == adapter) {
                return place < slots ? HERE : COMING;
            }
            place++;
        }
        return own.size() < slots ? FREE : 0;
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
                .computeIfPresent(view.prompts.trace().adapter(request), (one, count) -> count == 1 ? null : count - 1);
    }
}
