package dev.stagesim.feature.cluster;

import dev.stagesim.model.Variant;

/** Instances in turn. */
final class RoundRobin implements Router {
    /** Its section. */
    @Variant("round_robin | Instances in turn.")
    public record Settings() implements RouterSettings {
        @Override
        public Router over(Group group) {
            return new RoundRobin(group.size());
        }
    }

    private final int size;
    private int next;

    private RoundRobin(int size) {
        this.size = size;
    }

    @Override
    public int choose(int request, boolean hasPrompt) {
        int chosen = next;
        next = next + 1 == size ? 0 : next + 1;
        return chosen;
    }
}
