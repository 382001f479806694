package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.Key;
import java.util.LinkedHashSet;

/**
 * Distributes requests without any cache hit: instances that received no such request come first, in order, then the least
 * recently used one. Other requests score 0.5.
 */
final class NoHitLruScorer implements Scorer {
    /** The section of this scorer. */
    record Settings(@Key("Weight of the score. | 0 | 0..1000000") double weight) implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new NoHitLruScorer(view);
        }
    }

    private static final double NEUTRAL = 0.5;

    private final RouterView view;

    /** Instances that received requests without hits, least recently used first. */
    private final LinkedHashSet<Integer> used = new LinkedHashSet<>();

    private final double[] scores;
    private boolean isMiss;

    private NoHitLruScorer(RouterView view) {
        this.view = view;
        scores = new double[view.group.size()];
    }

    private boolean isMiss() {
        for (int i = 0; i < view.count; i++) {
            if (view.hitShare(view.candidates[i]) > 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void begin(int request) {
        isMiss = isMiss();
        if (!isMiss) {
            return;
        }
        int rank = 0;
        double last = Math.max(1, view.count - 1);
        for (int i = 0; i < view.count; i++) {
            if (!used.contains(view.candidates[i])) {
                scores[view.candidates[i]] = 1 - rank++ / last;
            }
        }
        for (int instance : used) {
            scores[instance] = Math.max(0, 1 - rank / last);
            rank += view.members.isOpen(instance) ? 1 : 0;
        }
    }

    @Override
    public double score(int instance) {
        return isMiss ? scores[instance] : NEUTRAL;
    }

    @Override
    public void sent(int request, int instance) {
        if (isMiss()) {
            used.remove(instance);
            used.add(instance);
        }
    }
}
