package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.Knowledge;

/** The fewest requests that were sent and are not done: 1 for idle instances, (most - own) / most for others. */
final class ActiveRequestScorer implements Scorer {
    private final Knowledge known;
    private final int idle;
    private final double busy;
    private double most;

    private ActiveRequestScorer(Knowledge known, int idle, double busy) {
        this.known = known;
        this.idle = idle;
        this.busy = busy;
    }

    static Scorer of(Knowledge known, Scorers settings) {
        return new ActiveRequestScorer(known, settings.idleRequests(), settings.busyScore());
    }

    @Override
    public void begin(int request) {
        most = 0;
        for (int i = 0; i < known.count; i++) {
            most = Math.max(most, known.inFlight(known.candidates[i]));
        }
    }

    @Override
    public double score(int instance) {
        int own = known.inFlight(instance);
        return own <= idle ? 1 : (most - own) / most * busy;
    }
}
