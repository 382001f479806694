package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;

/** The fewest requests that were sent and are not done: 1 for idle instances, (most - own) / most for others. */
final class ActiveRequestScorer implements Scorer {
    private final RouterView view;
    private final int idle;
    private final double busy;
    private double most;

    private ActiveRequestScorer(RouterView view, int idle, double busy) {
        this.view = view;
        this.idle = idle;
        this.busy = busy;
    }

    static Scorer of(RouterView view, Scorers settings) {
        return new ActiveRequestScorer(view, settings.idleRequests(), settings.busyScore());
    }

    @Override
    public void begin(int request) {
        most = 0;
        for (int i = 0; i < view.count; i++) {
            most = Math.max(most, view.inFlight(view.candidates[i]));
        }
    }

    @Override
    public double score(int instance) {
        int own = view.inFlight(instance);
        return own <= idle ? 1 : (most - own) / most * busy;
    }
}
