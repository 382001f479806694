package dev.stagesim.sim.serving.cluster;

import dev.stagesim.sim.serving.cluster.ClusterSignals.View;
import java.util.ArrayList;
import java.util.List;

/** Chooses the instance of a request; of equal ones the first. */
interface InstanceRouter {
    /** The chosen one of the candidates, and the score of each; no scores where the router has none. */
    record Choice(int index, double[] scores) {
        static Choice of(int index) {
            return new Choice(index, new double[0]);
        }
    }

    /** Chooses among at least one candidate. */
    Choice route(BlisRequest request, List<View> views);

    /** A router of BLIS by name. */
    static InstanceRouter of(String policy, List<BlisConfig.Scorer> scorers, int blockSize, ClusterSignals signals) {
        return switch (policy.replace('_', '-')) {
            case "", "round-robin" -> new RoundRobin();
            case "least-loaded" -> (request, views) -> Choice.of(extreme(views, -1));
            case "always-busiest" -> (request, views) -> Choice.of(extreme(views, 1));
            case "weighted" -> new Weighted(scorers, blockSize, signals);
            default -> throw new IllegalArgumentException("unknown router " + policy);
        };
    }

    private static int extreme(List<View> views, int sign) {
        int best = 0;
        for (int i = 1; i < views.size(); i++) {
            if (sign * views.get(i).load() > sign * views.get(best).load()) {
                best = i;
            }
        }
        return best;
    }

    /** A counter over the candidates, however many there are. */
    final class RoundRobin implements InstanceRouter {
        private int count;

        @Override
        public Choice route(BlisRequest request, List<View> views) {
            return Choice.of(count++ % views.size());
        }
    }

    /** The greatest weighted sum of scores between 0 and 1. */
    final class Weighted implements InstanceRouter {
        private static final List<BlisConfig.Scorer> DEFAULTS = List.of(
                new BlisConfig.Scorer("precise-prefix-cache", 2),
                new BlisConfig.Scorer("queue-depth", 1),
                new BlisConfig.Scorer("kv-utilization", 1));

        private final List<InstanceScorer> scorers = new ArrayList<>();
        private final double[] weights;

        Weighted(List<BlisConfig.Scorer> chosen, int blockSize, ClusterSignals signals) {
            List<BlisConfig.Scorer> all = chosen.isEmpty() ? DEFAULTS : chosen;
            all.forEach(scorer -> scorers.add(InstanceScorer.of(scorer.name(), blockSize, signals)));
            double total = 0;
            for (BlisConfig.Scorer scorer : all) {
                total += scorer.weight();
            }
            double sum = total;
            weights = all.stream().mapToDouble(scorer -> scorer.weight() / sum).toArray();
        }

        @Override
        public Choice route(BlisRequest request, List<View> views) {
            double[] totals = new double[views.size()];
            for (int s = 0; s < weights.length; s++) {
                double[] scores = scorers.get(s).score(request, views);
                for (int i = 0; i < totals.length; i++) {
                    totals[i] += Math.min(1, Math.max(0, scores[i])) * weights[s];
                }
            }
            int best = 0;
            for (int i = 1; i < totals.length; i++) {
                best = totals[i] > totals[best] ? i : best;
            }
            BlisInstance chosen = views.get(best).instance();
            scorers.forEach(scorer -> scorer.chosen(request, chosen));
            return new Choice(best, totals);
        }
    }
}
