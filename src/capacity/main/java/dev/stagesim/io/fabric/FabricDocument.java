package dev.stagesim.io.fabric;

import dev.stagesim.contract.Member;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** The artifact {@code fabric.json}: capacity, latency, power, carbon and cost of one target. */
@Member("fabric.json 1 | Capacity, latency, power, carbon and cost of a workload on a target, each with its range.")
public record FabricDocument(
        @Member("Name of the workload.") String workload,
        @Member("Name of the target.") String target,
        @Member("Source of throughput and latency.") String source,
        @Member("Track: parity or best.") String track,
        @Member("Figures of the target over the whole schedule.") List<Figure> figures,
        @Member("Share of the draws within a range.") double level,
        @Member("Runs and files that the values are based on.") List<String> evidence,
        @Member(value = "Choice of the optimiser, or null if it was not requested.", kind = "free")
                Optional<Chosen> winner,
        @Member(value = "Coefficients fitted to measured runs, or null without measured runs.", kind = "free")
                Optional<Fitted> calibration,
        @Member("Assumptions of the values, with sources.") List<String> assumptions) {
    /** A metric or a coefficient. */
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
