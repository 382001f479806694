package dev.stagesim.sim.collective;

import dev.stagesim.sim.network.LinkUse;
import dev.stagesim.sim.network.Unmatched;
import java.util.List;
import java.util.Optional;

/**
 * Outcome of a run.
 *
 * @param finishNs when each NPU finished, by rank; -1 when it did not; not to be changed
 * @param exposedNs finish less computation, by rank; -1 likewise; below 0 where the reference replays several at once;
 *     not to be changed
 * @param finishOrder ranks in the order of finishing; not to be changed
 * @param statistics by rank; empty for an NPU that did not finish
 * @param links use of every link, made when it is asked for; empty when the network has none
 * @param unclaimed messages that arrived and were never asked for
 * @param stuck why NPUs did not finish, or what they were doing when the observer ended the run
 * @param isStopped whether the observer ended the run while NPUs were not done
 * @param endNs time of the last event
 * @param events events handled
 * @param messages messages sent
 * @param representatives by rank the NPU that was simulated for it, itself unless symmetry was used; not to be changed
 * @param symmetryNote why symmetry was not used, or empty
 */
public record SimulationResult(
        long[] finishNs,
        long[] exposedNs,
        int[] finishOrder,
        List<Optional<NpuStatistics>> statistics,
        List<LinkUse> links,
        List<Unmatched> unclaimed,
        Optional<StuckReport> stuck,
        boolean isStopped,
        long endNs,
        long events,
        long messages,
        int[] representatives,
        String symmetryNote) {
    public SimulationResult {
        statistics = List.copyOf(statistics);
        unclaimed = List.copyOf(unclaimed);
    }

    /** NPUs that were simulated one by one. */
    public int simulatedNpus() {
        int count = 0;
        for (int rank = 0; rank < representatives.length; rank++) {
            count += representatives[rank] == rank ? 1 : 0;
        }
        return count;
    }

    /** This result with a remark on symmetry. */
    SimulationResult withSymmetryNote(String note) {
        return new SimulationResult(
                finishNs,
                exposedNs,
                finishOrder,
                statistics,
                links,
                unclaimed,
                stuck,
                isStopped,
                endNs,
                events,
                messages,
                representatives,
                note);
    }
}
