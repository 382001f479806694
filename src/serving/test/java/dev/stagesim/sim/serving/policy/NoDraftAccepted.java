package dev.stagesim.sim.serving.policy;

/** Accepts no draft token. */
final class NoDraftAccepted implements Drafting {
    @Override
    public int accepted(LiveRequest request, int verified) {
        return 0;
    }

    @Override
    public int proposed(LiveRequest request, int output, int limit) {
        return limit;
    }
}
