package dev.stagesim.sim.serving;

import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.sim.core.Tournament;

/**
 * Picks a replica for each request: in turn, at random with the generator and the seeding of the reference, or the one with
 * the fewest outstanding requests, ties to the lowest number.
 *
 * <p>The reference counts the waiting queue only, so a replica full of running requests looks idle; without that accident
 * every request that is not complete counts.
 */
final class GlobalScheduler {
    private final GlobalPolicy policy;
    private final BatchPolicy[] replicas;
    private final Tournament loads;
    private final Mt19937 random;
    private final boolean waitingOnly;
    private long turn;

    GlobalScheduler(ServingSpec spec, BatchPolicy[] replicas) {
        this.policy = spec.cluster().policy();
        this.replicas = replicas;
        this.loads = new Tournament(replicas.length, 0);
        this.random = Mt19937.pythonSeed(spec.cluster().seed());
        this.waitingOnly = spec.has(Accident.WAITING_ONLY);
    }

    /** Called when requests of a replica have been admitted, restarted, given up or completed. */
    void changed(int replica) {
        if (policy == GlobalPolicy.LOR) {
            loads.set(replica, waitingOnly ? replicas[replica].waitingCount() : replicas[replica].outstanding());
        }
    }

    /** Replica for the next request, which is put in its waiting queue. */
    int place() {
        return switch (policy) {
            case ROUND_ROBIN -> (int) (turn++ % replicas.length);
            case RANDOM -> (int) random.below(replicas.length);
            case LOR -> {
                int least = loads.least();
                loads.add(least, 1);
                yield least;
            }
        };
    }
}
