package dev.stagesim.sim.collective;

import dev.stagesim.sim.network.LinkUse;
import java.util.List;
import java.util.Optional;

/**
 * Outcome of a run.
 *
 * @param finishNs when each NPU finished, by rank; -1 when it did not; not to be changed
 * @param exposedNs finish less computation, by rank; -1 likewise; not to be changed
 * @param finishOrder ranks in the order of finishing; not to be changed
 * @param statistics by rank; empty for an NPU that did not finish
 * @param links use of every link; empty when the network has none
 * @param stuck why NPUs did not finish
 * @param endNs time of the last event
 * @param events events handled
 * @param messages messages sent
 * @param simulatedNpus NPUs that were simulated one by one; fewer than there are when symmetry stood in for the rest
 * @param symmetryNote why symmetry was not used, or empty
 */
public record SimulationResult(
        long[] finishNs,
        long[] exposedNs,
        int[] finishOrder,
        List<Optional<NpuStatistics>> statistics,
        List<LinkUse> links,
        Optional<StuckReport> stuck,
        long endNs,
        long events,
        long messages,
        int simulatedNpus,
        String symmetryNote) {
    public SimulationResult {
        statistics = List.copyOf(statistics);
        links = List.copyOf(links);
    }
}
