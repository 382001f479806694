package dev.stagesim.feature.cluster;

import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;

/** The less loaded of two instances at random. */
final class PowerOfTwo implements Router {
    /** Its section. */
    @Variant(
            "power_of_two | Of two different instances at random the one with fewer requests that are not done, the one"
                    + " drawn first of equals.")
    public record Settings(@Key("Seed of the draws. | 42 | 0..") long seed) implements RouterSettings {
        @Override
        public Router over(Group group) {
            return new PowerOfTwo(group.size(), group.random(seed));
        }
    }

    private final int[] loads;
    private final RandomStream random;

    private PowerOfTwo(int size, RandomStream random) {
        loads = new int[size];
        this.random = random;
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        int one = (int) random.below(loads.length);
        if (loads.length == 1) {
            return one;
        }
        int drawn = (int) random.below(loads.length - 1);
        int other = drawn < one ? drawn : drawn + 1;
        return loads[other] < loads[one] ? other : one;
    }

    @Override
    public void sent(int request, int instance, boolean hasPrompt) {
        loads[instance]++;
    }

    @Override
    public void done(int request, int instance, boolean hasOutput) {
        loads[instance]--;
    }
}
