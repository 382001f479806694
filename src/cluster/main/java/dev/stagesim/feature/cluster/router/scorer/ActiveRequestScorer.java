package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;

/** Prefers few unfinished requests: 1 for idle instances, otherwise (max - requests) / max, scaled. */
final class ActiveRequestScorer implements Scorer {
    /** The section of this scorer. */
    record Settings(
            @Key("Weight of the score. | 0 | 0..1000000") double weight,
            @Key("Maximum number of requests of an idle instance. | 0 | requests | 0..1000000")
                    @OnlyIf("weight > 0 | the scorer has no weight | set weight")
                    int idleRequests,
            @Key("Maximum score of busy instances. | 1 | 0..1")
                    @OnlyIf("weight > 0 | the scorer has no weight | set weight")
                    double maxBusyScore)
            implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new ActiveRequestScorer(view, this);
        }
    }

    private final RouterView view;
    private final int idle;
    private final double busy;
    private double max;

    private ActiveRequestScorer(RouterView view, Settings settings) {
        this.view = view;
        idle = settings.idleRequests();
        busy = settings.maxBusyScore();
    }

    @Override
    public void begin(int request) {
        max = 0;
        for (int i = 0; i < view.count; i++) {
            max = Math.max(max, view.inFlight(view.candidates[i]));
        }
    }

    @Override
    public double score(int instance) {
        int requests = view.inFlight(instance);
        return requests <= idle ? 1 : (max - requests) / max * busy;
    }
}
