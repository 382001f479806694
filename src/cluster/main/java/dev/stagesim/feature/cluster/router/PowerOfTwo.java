package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;

/** The less loaded of two random instances. */
public final class PowerOfTwo implements Router {
    @Variant("power_of_two | The instance with fewer unfinished requests of two random ones. Ties go to the"
            + " first draw.")
    public record Settings(@Key("Random seed. | 42 | 0..9223372036854775807") long seed) implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new PowerOfTwo(group, group.random(seed));
        }
    }

    private final int[] loads;
    private final AvailableInstances members;
    private final RandomStream random;

    private PowerOfTwo(RoutingGroup group, RandomStream random) {
        loads = new int[group.size()];
        members = group.members();
        this.random = random;
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        int first = (int) random.below(members.count());
        int firstInstance = members.at(first);
        if (members.count() == 1) {
            return firstInstance;
        }
        int drawn = (int) random.below(members.count() - 1);
        int other = members.at(drawn < first ? drawn : drawn + 1);
        return loads[other] < loads[firstInstance] ? other : firstInstance;
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
