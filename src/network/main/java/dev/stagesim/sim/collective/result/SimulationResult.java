package dev.stagesim.sim.collective.result;

import dev.stagesim.sim.network.LinkUse;
import dev.stagesim.sim.network.Unmatched;
import java.util.List;
import java.util.Optional;

/**
 * Result of a run. Callers must not modify the arrays.
 *
 * @param finishNs finish time of each rank, or -1
 * @param exposedNs finish time minus computation of each rank, or -1; can be negative with overlapping replayed nodes
 *     in the reference mode
 * @param finishOrder ranks in the order in which they finished
 * @param statistics statistics by rank; empty for an unfinished NPU
 * @param stuck why NPUs did not finish, or their state when the observer ended the run
 * @param isStopped whether the observer ended the run before all NPUs had finished
 * @param endNs time of the last event
 */
public record SimulationResult(
        long[] finishNs,
        long[] exposedNs,
        int[] finishOrder,
        List<Optional<NpuStatistics>> statistics,
        Traffic traffic,
        Optional<CollectiveDeadlock> stuck,
        boolean isStopped,
        long endNs,
        Symmetry symmetry) {
    public SimulationResult {
        statistics = List.copyOf(statistics);
    }

    /**
     * Traffic on the network.
     *
     * @param links traffic of every link, created on demand; empty if the network has none
     * @param unclaimed messages that arrived without a receive
     * @param events events handled
     * @param messages messages sent
     */
    public record Traffic(List<LinkUse> links, List<Unmatched> unclaimed, long events, long messages) {
        public Traffic {
            unclaimed = List.copyOf(unclaimed);
        }
    }

    /**
     * Use of symmetry.
     *
     * @param representatives by rank: the NPU simulated for it, which is the rank itself without symmetry
     * @param note why symmetry was not used, or empty
     */
    public record Symmetry(int[] representatives, String note) {
        /** Number of NPUs simulated individually. */
        public int simulatedNpus() {
            int count = 0;
            for (int rank = 0; rank < representatives.length; rank++) {
                count += representatives[rank] == rank ? 1 : 0;
            }
            return count;
        }
    }
}
