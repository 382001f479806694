package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;

/** A random instance. */
public final class RandomChoice implements Router {
    @Variant("random | A random instance.")
    public record Settings(@Key("Random seed. | 42 | 0..9223372036854775807") long seed) implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new RandomChoice(group.members(), group.random(seed));
        }

        @Override
        public boolean dependsOnLoad() {
            return false;
        }
    }

    private final AvailableInstances members;
    private final RandomStream random;

    private RandomChoice(AvailableInstances members, RandomStream random) {
        this.members = members;
        this.random = random;
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        return members.at((int) random.below(members.count()));
    }
}
