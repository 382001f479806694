package dev.stagesim.feature.fabric.performance;

import dev.stagesim.capacity.TargetSettings;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.capacity.TrainingRun;
import dev.stagesim.sim.capacity.TrainingSpec;
import dev.stagesim.sim.trace.generate.TrainingOptions;
import dev.stagesim.stage.StageContext.SameAs;
import java.util.ArrayList;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A training step on a target, for the simulation kernel and as settings of the stages workload and astra_sim.
 *
 * @param share share of the BF16 peak that computations reach
 */
public record TrainingStepSpec(TrainingSpec spec, double share) {
    private static final double GBIT_PER_GBYTE = 8;
    private static final double TERA_PER_MICRO = 1e6;
    private static final double GIGA_PER_MICRO = 1e3;
    /** NPUs in the timeline: one node is enough to show the waiting times. */
    private static final int TIMELINE_NPUS = 8;
    /** Maximum share of the peak that matrix products reach, for accelerators without a measurement. */
    private static final double DEFAULT_PEAK_SHARE = 0.8;

    /**
     * Specifies a step.
     *
     * @param efficiency share of the maximum 16-bit rate that computations reach
     * @param microbatch sequences of a step per copy; a pipeline processes them one after the other
     */
    public static TrainingStepSpec of(
            ModelCard model,
            TargetSettings target,
            double efficiency,
            int tp,
            int pp,
            int copies,
            int microbatch,
            int tokens) {
        HardwareCard card = target.device();
        double peak = card.bf16OrFp16Tflops().orElse(0.0);
        double rate = efficiency * card.mamfBf16Tflops().orElse(DEFAULT_PEAK_SHARE * peak);
        TargetSettings.Links links = target.links();
        TrainingSpec spec = new TrainingSpec(
                model,
                tp,
                pp,
                copies,
                pp > 1 ? microbatch : 1,
                pp > 1 ? 1 : microbatch,
                tokens,
                new TrainingOptions.Device(rate * TERA_PER_MICRO, card.statedMemBwGbs() * GIGA_PER_MICRO),
                new TrainingSpec.Links(
                        target.acceleratorsPerNode(),
                        links.intraNodeGbs().orElseGet(() -> intraNodeGbs(target)),
                        links.interNodeGbs()
                                .or(() -> card.host().nicGbpsPerAccelTyp().map(rateGbit -> rateGbit / GBIT_PER_GBYTE))
                                .orElse(0.0),
                        links.intraNodeLatencyNs(),
                        links.interNodeLatencyNs()));
        return new TrainingStepSpec(spec, peak == 0 ? 0 : rate / peak);
    }

    /** Returns the bandwidth of the scale-up link if it spans a node, otherwise of the host link; 0 if unknown. */
    private static double intraNodeGbs(TargetSettings target) {
        HardwareCard card = target.device();
        boolean spans = card.scaleup().scaleupUniGbs() > 0
                && card.scaleup().scaleupDomain().orElse(target.acceleratorsPerNode()) >= target.acceleratorsPerNode();
        return spans ? card.scaleup().scaleupUniGbs() : card.host().hostUniGbs().orElse(0.0);
    }

    /** Returns why the step cannot be simulated; empty if it can. */
    Optional<String> whyInfeasible() {
        if (share <= 0) {
            return Optional.of("its 16-bit rate is unknown");
        }
        if (spec.inNode() > 1 && spec.links().intraNodeGbs() <= 0) {
            return Optional.of("the bandwidth between its accelerators is unknown; set target.links.intra_node_gbs");
        }
        if (spec.nodes() > 1 && spec.links().interNodeGbs() <= 0) {
            return Optional.of("the bandwidth between its nodes is unknown; set target.links.inter_node_gbs");
        }
        return spec.whyInfeasible();
    }

    /** True if the step has communication that can be simulated. */
    public boolean isWorthwhile() {
        return spec.devices() > 1 && whyInfeasible().isEmpty();
    }

    /** Returns the settings of an astra_sim stage that simulates this step. */
    public Map<String, Object> changes() {
        Map<String, Object> changes = new LinkedHashMap<>();
        changes.put("workload", workload());
        changes.put("network", network());
        changes.put("system", system());
        changes.put("simulation", Map.of("timeline_npus", TIMELINE_NPUS, "matrix", false));
        return changes;
    }

    private Map<String, Object> workload() {
        Map<String, Object> section = new LinkedHashMap<>();
        section.put("kind", "chakra_generate");
        section.put("pattern", "transformer");
        section.put("micro_batches", spec.microBatches());
        section.put("model", new SameAs("model"));
        section.put("hardware", new SameAs("target.device"));
        section.put("parallelism", Map.of("tp", spec.tp(), "pp", spec.pp(), "dp", spec.dp()));
        section.put(
                "training",
                Map.of(
                        "sequences",
                        spec.sequences(),
                        "sequence",
                        spec.tokens(),
                        "sharded_optimizer",
                        spec.isSharded(),
                        "efficiency",
                        share));
        return section;
    }

    private Map<String, Object> network() {
        TrainingSpec.Links links = spec.links();
        List<Object> npus = new ArrayList<>();
        List<Object> bandwidth = new ArrayList<>();
        List<Object> latency = new ArrayList<>();
        if (spec.inNode() > 1) {
            npus.add(spec.inNode());
            bandwidth.add(links.intraNodeGbs());
            latency.add(links.intraNodeLatencyNs());
        }
        if (spec.nodes() > 1) {
            npus.add(spec.nodes());
            bandwidth.add(links.interNodeGbs());
            latency.add(links.interNodeLatencyNs());
        }
        Map<String, Object> topology = new LinkedHashMap<>();
        topology.put("kind", "dims");
        topology.put("blocks", Collections.nCopies(npus.size(), "switch"));
        topology.put("npus_count", npus);
        topology.put("bandwidth", bandwidth);
        topology.put("latency", latency);
        Map<String, Object> section = new LinkedHashMap<>();
        section.put("backend", "congestion_aware");
        section.put("topology", topology);
        return section;
    }

    private Map<String, Object> system() {
        List<String> rings = Collections.nCopies((spec.inNode() > 1 ? 1 : 0) + (spec.nodes() > 1 ? 1 : 0), "ring");
        Map<String, Object> section = new LinkedHashMap<>();
        section.put("kind", "keys");
        section.put("preferred_dataset_splits", TrainingRun.SPLITS);
        section.put("active_chunks_per_dimension", TrainingRun.ACTIVE_CHUNKS);
        section.put("endpoint_delay", TrainingRun.ENDPOINT_DELAY_NS);
        section.put("local_mem_bw", spec.device().bytesPerMicro() / GIGA_PER_MICRO);
        section.put("all_reduce_implementation", rings);
        section.put("all_gather_implementation", rings);
        section.put("reduce_scatter_implementation", rings);
        section.put("all_to_all_implementation", rings);
        return section;
    }
}
