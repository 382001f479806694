package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.cache.Prompts;
import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.Key;
import java.util.LinkedHashMap;
import java.util.Map;

/** Prefers the instance that served the previous turn of the session. */
final class SessionScorer implements Scorer {
    /** The section of this scorer. */
    record Settings(@Key("Weight of the score. | 0 | 0..1000000") double weight) implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new SessionScorer(view.prompts);
        }
    }

    private final Prompts prompts;
    private final Map<Long, Integer> homes = new LinkedHashMap<>();
    private int home;

    private SessionScorer(Prompts prompts) {
        this.prompts = prompts;
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
