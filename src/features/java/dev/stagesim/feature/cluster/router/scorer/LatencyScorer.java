package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.instance.Profile;
import dev.stagesim.feature.cluster.router.view.RouterView;

/**
 * Predicted times beside what is aimed at: of the instances that will meet both the one that will just do so.
 *
 * <p>llm-d learns the times of its instances; here the step model says them, from the prompts that an instance is still to
 * compute and the requests that it was sent.
 */
final class LatencyScorer implements Scorer {
    private static final double FIRST_PART = 0.8;
    private static final double PER_CENT = 100;

    private final RouterView view;
    private final double first;
    private final double gap;
    private final double[] firstRoom;
    private final double[] gapRoom;
    private final int[] rank;
    private int best;
    private double leastFirst;
    private double mostFirst;
    private double leastGap;
    private double mostGap;

    private LatencyScorer(RouterView view, Scorers settings) {
        this.view = view;
        first = settings.firstMs() / 1e3;
        gap = settings.gapMs() / 1e3;
        int size = view.group.size();
        firstRoom = new double[size];
        gapRoom = new double[size];
        rank = new int[size];
    }

    static Scorer of(RouterView view, Scorers settings) {
        return new LatencyScorer(view, settings);
    }

    @Override
    public void begin(int request) {
        best = Integer.MAX_VALUE;
        for (int i = 0; i < view.count; i++) {
            predict(request, view.candidates[i]);
            best = Math.min(best, rank[view.candidates[i]]);
        }
        leastFirst = Double.POSITIVE_INFINITY;
        leastGap = Double.POSITIVE_INFINITY;
        mostFirst = 0;
        mostGap = 0;
        for (int i = 0; i < view.count; i++) {
            int instance = view.candidates[i];
            if (rank[instance] == best) {
                leastFirst = Math.min(leastFirst, Math.abs(firstRoom[instance]));
                mostFirst = Math.max(mostFirst, Math.abs(firstRoom[instance]));
                leastGap = Math.min(leastGap, Math.abs(gapRoom[instance]));
                mostGap = Math.max(mostGap, Math.abs(gapRoom[instance]));
            }
        }
    }

    private void predict(int request, int instance) {
        Profile profile = view.group.profiles().get(instance);
        int prompt = view.prompts.promptTokens(request);
        long tokens = view.tokens(instance) + prompt - view.hitTokens(instance);
        firstRoom[instance] = first - profile.promptSeconds((int) Math.max(1, Math.min(tokens, Integer.MAX_VALUE)));
        gapRoom[instance] = gap - profile.gapSeconds(view.inFlight(instance) + 1, prompt);
        boolean isSoon = firstRoom[instance] >= 0;
        boolean isSteady = gapRoom[instance] >= 0;
        boolean isIdle = view.inFlight(instance) == 0;
        rank[instance] = isSoon && isSteady ? 0 : isIdle ? 1 : isSoon ? 2 : isSteady ? 3 : 4;
    }

    @Override
    public double score(int instance) {
        if (rank[instance] != best) {
            return 0;
        }
        double much = FIRST_PART * share(firstRoom[instance], leastFirst, mostFirst)
                + (1 - FIRST_PART) * share(gapRoom[instance], leastGap, mostGap);
        return (Math.floor(PER_CENT * (1 - much)) + 1) / (PER_CENT + 1);
    }

    private static double share(double room, double least, double most) {
        return most > least ? (Math.abs(room) - least) / (most - least) : 0;
    }
}
