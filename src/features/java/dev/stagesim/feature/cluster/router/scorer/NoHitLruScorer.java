package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.router.view.RouterView;
import java.util.LinkedHashSet;

/**
 * Requests of which no instance has anything: first the instances that got none of those, in order, then the one whose last one
 * is longest ago; a half for all others.
 */
final class NoHitLruScorer implements Scorer {
    private static final double NEUTRAL = 0.5;

    private final RouterView view;

    /** Instances by their last such request, the oldest first. */
    private final LinkedHashSet<Integer> used = new LinkedHashSet<>();

    private final double[] scores;
    private boolean isCold;

    private NoHitLruScorer(RouterView view) {
        this.view = view;
        scores = new double[view.group.size()];
    }

    static Scorer of(RouterView view, Scorers settings) {
        return new NoHitLruScorer(view);
    }

    private boolean isCold() {
        for (int i = 0; i < view.count; i++) {
            if (view.hitShare(view.candidates[i]) > 0) {
                return false;
            }
        }
        return true;
    }

    @Override
    public void begin(int request) {
        isCold = isCold();
        if (!isCold) {
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
        return isCold ? scores[instance] : NEUTRAL;
    }

    @Override
    public void sent(int request, int instance) {
        if (isCold()) {
            used.remove(instance);
            used.add(instance);
        }
    }
}
