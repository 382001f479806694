package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.router.view.AvailableInstances;
import dev.stagesim.feature.cluster.router.view.RoutingGroup;
import dev.stagesim.model.Variant;

/** Each instance in turn. */
public final class RoundRobin implements Router {
    @Variant("round_robin | Each instance in turn.")
    public record Settings() implements RouterSettings {
        @Override
        public Router over(RoutingGroup group) {
            return new RoundRobin(group.members());
        }

        @Override
        public boolean dependsOnLoad() {
            return false;
        }
    }

    private final AvailableInstances members;
    private int next;

    private RoundRobin(AvailableInstances members) {
        this.members = members;
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        int chosen = members.from(next);
        next = chosen + 1;
        return chosen;
    }
}
