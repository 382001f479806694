package dev.stagesim.sim.serving;

import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.sim.core.Tournament;
import dev.stagesim.sim.serving.replica.BatchPolicy;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;

/**
 * Selects a replica for each request: round robin, at random with the generator and the seed of the reference, or the
 * replica with the minimum number of outstanding requests and the lowest number.
 *
 * <p>The reference counts the waiting queue only, so a replica full of running requests appears idle. Without that bug,
 * every incomplete request counts.
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
        this.waitingOnly = spec.has(VidurQuirk.WAITING_ONLY);
    }

    /** Updates the order of the replicas after requests of a replica were admitted, restarted, withdrawn or completed. */
    void changed(int replica) {
        if (policy == GlobalPolicy.LOR) {
            loads.set(replica, waitingOnly ? replicas[replica].waitingCount() : replicas[replica].outstanding());
        }
    }

    /** Returns the replica for the next request. The caller adds the request to the waiting queue of that replica. */
    int place() {
        return switch (policy) {
            case ROUND_ROBIN -> (int) (turn++ % replicas.length);
            case RANDOM -> (int) random.below(replicas.length);
            case LOR -> {
                int replica = loads.least();
                loads.add(replica, 1);
                yield replica;
            }
        };
    }
}
