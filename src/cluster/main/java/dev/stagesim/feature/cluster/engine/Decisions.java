package dev.stagesim.feature.cluster.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * Records the first routing decision for each prompt and for each output on a decode instance, in order. Decisions for
 * retries are not recorded.
 */
public final class Decisions implements RoutingPolicyOverride {
    /**
     * A routing decision.
     *
     * @param number position in the order of decisions
     * @param at time in seconds
     * @param open number of open instances
     * @param chosen number of the chosen instance
     */
    public record Decision(int number, double at, int request, boolean hasPrompt, int open, int chosen) {}

    private final List<Decision> all = new ArrayList<>();

    /** Chosen instance by slot: twice the request, plus 1 for its output; -1 if absent. */
    private final int[] chosen;

    public Decisions(int requests) {
        chosen = new int[2 * requests];
        Arrays.fill(chosen, -1);
    }

    private static int place(int request, boolean hasPrompt) {
        return 2 * request + (hasPrompt ? 0 : 1);
    }

    @Override
    public int choose(PoolRouter poolRouter, int request, boolean hasPrompt, double now) {
        int open = poolRouter.open();
        int instance = poolRouter.choose(request, hasPrompt);
        int place = place(request, hasPrompt);
        if (chosen[place] < 0) {
            chosen[place] = instance;
            all.add(new Decision(all.size(), now, request, hasPrompt, open, instance));
        }
        return instance;
    }

    public List<Decision> all() {
        return all;
    }

    /** Creates a replay with one changed decision. */
    public Replayed with(Decision changed, ToIntFunction<PoolRouter> other) {
        return new Replayed(changed, other);
    }

    /**
     * Replays a run with one changed decision. Until then the routers decide again, with the same results. Afterwards
     * the recorded decisions apply; the routers decide only if none was recorded or the recorded instance is closed.
     */
    public final class Replayed implements RoutingPolicyOverride {
        private final Decision changed;
        private final ToIntFunction<PoolRouter> other;
        private final BitSet seen = new BitSet();
        private int count;

        /** Alternative instance, or -1 if not chosen yet or absent. */
        private int alternative = -1;

        private Replayed(Decision changed, ToIntFunction<PoolRouter> other) {
            this.changed = changed;
            this.other = other;
        }

        public int alternative() {
            return alternative;
        }

        @Override
        public int choose(PoolRouter poolRouter, int request, boolean hasPrompt, double now) {
            int place = place(request, hasPrompt);
            if (seen.get(place)) {
                return poolRouter.choose(request, hasPrompt);
            }
            seen.set(place);
            int number = count++;
            if (number > changed.number()) {
                boolean isFixed = chosen[place] >= 0 && poolRouter.isOpen(chosen[place]);
                return isFixed ? chosen[place] : poolRouter.choose(request, hasPrompt);
            }
            int same = poolRouter.choose(request, hasPrompt);
            if (same != chosen[place]) {
                throw new IllegalStateException("decision " + number + " differs in the replay");
            }
            if (number == changed.number()) {
                alternative = other.applyAsInt(poolRouter);
            }
            return number == changed.number() && alternative >= 0 ? alternative : same;
        }
    }
}
