package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.RouterView;
import java.util.LinkedHashMap;
import java.util.Map;

/** 1 for the instance that the conversation was sent to last. */
final class SessionScorer implements Scorer {
    private final Prompts prompts;
    private final Map<Long, Integer> homes = new LinkedHashMap<>();
    private int home;

    private SessionScorer(Prompts prompts) {
        this.prompts = prompts;
    }

    static Scorer of(RouterView view, Scorers settings) {
        return new SessionScorer(view.prompts);
    }

    @Override
    public void begin(int request) {
        home = homes.getOrDefault(prompts.session(request), -1);
    }

    @Override
    public double score(int instance) {
        return instance == home ? 1 : 0;
    }

    @Override
    public void sent(int request, int instance) {
        homes.put(prompts.session(request), instance);
    }
}
