package dev.stagesim.io.fabric;

import dev.stagesim.contract.Member;
import java.util.List;
import java.util.Map;
import java.util.Optional;

@Member(
        "fabric.json 1 | What a workload takes on a target: capacity, latency, power, carbon and cost, each with its range.")
public record FabricDocument(
        @Member("Name of the workload.") String workload,
        @Member("Name of the target.") String target,
        @Member("Where throughput and latency come from.") String source,
        @Member("parity or best.") String track,
        @Member("Figures of the target over the whole schedule.") List<Figure> figures,
        @Member("Share of the draws that a range holds.") double level,
        @Member("Runs and files that the figures come from.") List<String> evidence,
        @Member(value = "What the optimiser chose; null when it was not asked.", kind = "free") Optional<Chosen> winner,
        @Member(value = "Coefficients fitted to measured runs; null when there were none.", kind = "free")
                Optional<Fitted> calibration,
        @Member("What the figures rest on, with sources.") List<String> assumptions) {
    /** A figure or a coefficient. */
    public record Figure(
            @Member("Name, unit last.") String name,
            @Member("Best estimate.") double value,
            @Member("Lower end of its range.") double low,
            @Member("Upper end of its range.") double high) {}

    public record Chosen(
            int candidate,
            String target,
            int tensorParallel,
            int pipelineStages,
            String policy,
            double load,
            Map<String, Double> figures) {}

    public record Fitted(int runs, double level, List<Figure> coefficients, double heldOutError) {}
}
