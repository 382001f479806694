package dev.stagesim.sim.serving;

import dev.stagesim.sim.core.Mt19937;

/** A replica drawn at random, with the generator and the seeding of the reference. */
final class RandomScheduler extends GlobalScheduler {
    private final int replicas;
    private final Mt19937 random;

    RandomScheduler(int replicas, long seed) {
        this.replicas = replicas;
        this.random = Mt19937.pythonSeed(seed);
    }

    @Override
    int place() {
        return (int) random.below(replicas);
    }
}
