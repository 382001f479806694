package dev.stagesim.feature.cluster.router.scorer;

import dev.stagesim.feature.cluster.instance.InstancePerformance;
import dev.stagesim.feature.cluster.router.view.RouterView;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;

/**
 * Scores predicted latencies: prefers the instance that meets both targets with the lowest headroom.
 *
 * <p>llm-d learns the latencies of its instances. Here the step model predicts them from the queued prompts and the
 * unfinished requests of an instance.
 */
final class LatencyScorer implements Scorer {
    /** The section of this scorer. */
    record Settings(
            @Key("Weight of the score. | 0 | 0..1000000") double weight,
            @Key("Target TTFT. | 500 | ms | 0.001..1000000000")
                    @OnlyIf("weight > 0 | the scorer has no weight | set weight")
                    double ttftTargetMs,
            @Key("Target TPOT. | 50 | ms | 0.001..1000000000")
                    @OnlyIf("weight > 0 | the scorer has no weight | set weight")
                    double tpotTargetMs)
            implements ScorerFactory {
        @Override
        public Scorer make(RouterView view) {
            return new LatencyScorer(view, this);
        }
    }

    private static final double TTFT_WEIGHT = 0.8;
    private static final double PERCENT = 100;

    private final RouterView view;
    private final double ttftTarget;
    private final double tpotTarget;
    private final double[] ttftRoom;
    private final double[] tpotRoom;
    private final int[] rank;
    private int best;
    private double minTtftRoom;
    private double maxTtftRoom;
    private double minTpotRoom;
    private double maxTpotRoom;

    private LatencyScorer(RouterView view, Settings settings) {
        this.view = view;
        ttftTarget = settings.ttftTargetMs() / 1e3;
        tpotTarget = settings.tpotTargetMs() / 1e3;
        int size = view.group.size();
        ttftRoom = new double[size];
        tpotRoom = new double[size];
        rank = new int[size];
    }

    @Override
    public void begin(int request) {
        best = Integer.MAX_VALUE;
        for (int i = 0; i < view.count; i++) {
            predict(request, view.candidates[i]);
            best = Math.min(best, rank[view.candidates[i]]);
        }
        minTtftRoom = Double.POSITIVE_INFINITY;
        minTpotRoom = Double.POSITIVE_INFINITY;
        maxTtftRoom = 0;
        maxTpotRoom = 0;
        for (int i = 0; i < view.count; i++) {
            int instance = view.candidates[i];
            if (rank[instance] == best) {
                minTtftRoom = Math.min(minTtftRoom, Math.abs(ttftRoom[instance]));
                maxTtftRoom = Math.max(maxTtftRoom, Math.abs(ttftRoom[instance]));
                minTpotRoom = Math.min(minTpotRoom, Math.abs(tpotRoom[instance]));
                maxTpotRoom = Math.max(maxTpotRoom, Math.abs(tpotRoom[instance]));
            }
        }
    }

    private void predict(int request, int instance) {
        InstancePerformance profile = view.group.profiles().get(instance);
        int prompt = view.prompts.promptTokens(request);
        long tokens = view.tokens(instance) + prompt - view.hitTokens(instance);
        ttftRoom[instance] = ttftTarget - profile.promptSeconds((int) Math.max(1, Math.min(tokens, Integer.MAX_VALUE)));
        tpotRoom[instance] = tpotTarget - profile.tpotSeconds(view.inFlight(instance) + 1, prompt);
        boolean meetsTtft = ttftRoom[instance] >= 0;
        boolean meetsTpot = tpotRoom[instance] >= 0;
        boolean isIdle = view.inFlight(instance) == 0;
        rank[instance] = meetsTtft && meetsTpot ? 0 : isIdle ? 1 : meetsTtft ? 2 : meetsTpot ? 3 : 4;
    }

    @Override
    public double score(int instance) {
        if (rank[instance] != best) {
            return 0;
        }
        double room = TTFT_WEIGHT * share(ttftRoom[instance], minTtftRoom, maxTtftRoom)
                + (1 - TTFT_WEIGHT) * share(tpotRoom[instance], minTpotRoom, maxTpotRoom);
        return (Math.floor(PERCENT * (1 - room)) + 1) / (PERCENT + 1);
    }

    private static double share(double room, double min, double max) {
        return max > min ? (Math.abs(room) - min) / (max - min) : 0;
    }
}
