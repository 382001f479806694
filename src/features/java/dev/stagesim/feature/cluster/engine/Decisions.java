package dev.stagesim.feature.cluster.engine;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.function.ToIntFunction;

/**
 * The decisions of a run in their order: the first one for each prompt, and the first one for each output that is made
 * elsewhere. What is sent again after a failure is not among them.
 */
public final class Decisions implements RoutingPolicyOverride {
    /**
     * One of them.
     *
     * @param number its place in the order
     * @param open instances to choose from
     * @param chosen number of the instance
     */
    public record Decision(int number, double at, int request, boolean hasPrompt, int open, int chosen) {}

    private final List<Decision> all = new ArrayList<>();

    /** What was chosen, by twice the request, and one more for its output; -1 where nothing was. */
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

    /** The same run with one decision changed, all others as they were. */
    public Replayed with(Decision changed, ToIntFunction<PoolRouter> other) {
        return new Replayed(changed, other);
    }

    /**
     * The course of a replay. Up to the changed decision routers choose for themselves, which comes to the same; after it they
     * do only for what was not decided in the run, or was for an instance that is closed now.
     */
    public final class Replayed implements RoutingPolicyOverride {
        private final Decision changed;
        private final ToIntFunction<PoolRouter> other;
        private final BitSet seen = new BitSet();
        private int count;

        /** The instance that was taken instead; -1 until it is, and where there is none. */
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
                throw new IllegalStateException("decision " + number + " came out differently when replayed");
            }
            if (number == changed.number()) {
                alternative = other.applyAsInt(poolRouter);
            }
            return number == changed.number() && alternative >= 0 ? alternative : same;
        }
    }
}
