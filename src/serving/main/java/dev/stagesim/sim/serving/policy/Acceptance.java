package dev.stagesim.sim.serving.policy;

import java.util.List;
import java.util.function.IntUnaryOperator;

/**
 * The number of accepted draft tokens.
 *
 * @param byPosition probability that a draft token is accepted if the previous ones are, by position; the last value applies
 *         to all later positions
 * @param hitRate share of the steps that a draft follows
 * @param lists recorded numbers of accepted tokens per step, one list per request, reused cyclically; empty to draw them
 */
public record Acceptance(List<Double> byPosition, double hitRate, List<List<Integer>> lists) {
    public Acceptance {
        byPosition = List.copyOf(byPosition);
        lists = List.copyOf(lists);
    }

    /** Returns an acceptance with the given probabilities and a draft after every step. */
    public static Acceptance of(List<Double> byPosition) {
        return new Acceptance(byPosition, 1, List.of());
    }

    /**
     * Returns the mean tokens of a step that verifies {@code drafts} draft tokens. With one probability a, it is (1 -
     * a^(drafts+1)) / (1 - a).
     */
    public double tokensPerStep(int drafts) {
        double tokens = 1;
        double right = hitRate;
        for (int position = 0; position < drafts; position++) {
            right *= at(position);
            tokens += right;
        }
        return tokens;
    }

    private double at(int position) {
        return byPosition.isEmpty() ? 0 : byPosition.get(Math.min(position, byPosition.size() - 1));
    }

    /**
     * Returns the draws for {@code requests} slots.
     *
     * <p>A draw depends only on the number of the request and the position in its output, so that the result of a request
     * does not depend on the planning of its steps or on its placement. An entry of a list belongs to a step.
     *
     * @param number the number of the request in each slot
     */
    public Drafting drafting(int requests, IntUnaryOperator number) {
        int[] verifiedSteps = new int[lists.isEmpty() ? 0 : requests];
        return new Drafting() {
            @Override
            public int accepted(LiveRequest request, int verified) {
                int index = request.spec().index();
                int of = number.applyAsInt(index);
                if (!lists.isEmpty()) {
                    List<Integer> list = lists.get(of % lists.size());
                    return Math.min(verified, list.get(verifiedSteps[index]++ % list.size()));
                }
                int right = 0;
                while (right < verified && draw(of, request.output() + right) < at(right)) {
                    right++;
                }
                return right;
            }

            @Override
            public int proposed(LiveRequest request, int output, int limit) {
                int of = number.applyAsInt(request.spec().index());
                return hitRate == 1 || draw(~of, output) < hitRate ? limit : 0;
            }
        };
    }

    private static double draw(int request, int position) {
        long z = ((long) request << 32 | position) * 0x9E3779B97F4A7C15L;
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        return ((z ^ (z >>> 31)) >>> 11) * 0x1.0p-53;
    }
}
