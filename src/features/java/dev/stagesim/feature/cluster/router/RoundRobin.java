package dev.stagesim.feature.cluster.router;

import dev.stagesim.feature.cluster.router.view.Group;
import dev.stagesim.feature.cluster.router.view.Members;
import dev.stagesim.model.Variant;

/** Instances in turn. */
public final class RoundRobin implements Router {
    /** Its section. */
    @Variant("round_robin | Instances in turn.")
    public record Settings() implements RouterSettings {
        @Override
        public Router over(Group group) {
            return new RoundRobin(group.members());
        }

        @Override
        public boolean looks() {
            return false;
        }
    }

    private final Members members;
    private int next;

    private RoundRobin(Members members) {
        this.members = members;
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        int chosen = members.from(next);
        next = chosen + 1;
        return chosen;
    }
}
