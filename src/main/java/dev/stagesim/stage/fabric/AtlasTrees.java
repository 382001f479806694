package dev.stagesim.stage.fabric;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.settings.CoefficientSettings;
import dev.stagesim.settings.GridSettings;
import dev.stagesim.settings.TargetSettings;
import java.util.List;

/** A target of the settings as the plain trees that Atlas Fabric reads. */
final class AtlasTrees {
    private static final GridSettings NO_GRID = new GridSettings("", 0, 0, 0, 0, "");

    private AtlasTrees() {}

    static JsonValue.Obj target(TargetSettings target) {
        Machines machines = new Machines(target, NO_GRID);
        return JsonValue.object()
                .put("name", target.name())
                .put("vendor", target.device().vendor())
                .put("instance_type", target.device().form())
                .put("accelerators_per_node", target.acceleratorsPerNode())
                .put("num_nodes", target.numNodes())
                .put("memory_gb_per_accel", target.device().memGb())
                .put(
                        "interconnect",
                        JsonValue.object()
                                .put("type", target.device().scaleupName())
                                .put("bw_GBps", target.device().scaleupUniGbs())
                                .build())
                .put("host_cpu_arch", "x86")
                .put("numeric", JsonValue.strings(List.of("bf16", "fp16")))
                .put("collectives", JsonValue.strings(List.of("allreduce")))
                .put("max_batch_tokens", 32768)
                .put("container_base", "none")
                .put(
                        "cost",
                        JsonValue.object()
                                .put(
                                        "hourly_usd",
                                        Machines.hasPrice(target)
                                                ? machines.price().mode()
                                                : 0.0)
                                .put("energy_watts_node", machines.watts())
                                .put("pue", target.power().pue())
                                .build())
                .build();
    }

    static JsonValue.Obj card(TargetSettings target) {
        CoefficientSettings card = target.card();
        JsonObjectBuilder fabrics = JsonValue.object();
        card.fabricFactors().forEach(fabrics::put);
        // Tokens per second of a model of a billion parameters, since the reference knows no model sizes.
        double tokens = card.tokensPerAccel()
                .orElseGet(() -> target.device()
                                .mamfBf16Tflops()
                                .or(target.device()::bf16OrFp16Tflops)
                                .orElse(1.0)
                        * 1e12
                        / 2e9);
        return JsonValue.object()
                .put("compute", compute(card, tokens))
                .put("utilization", utilization(card))
                .put("communication", communication(card, fabrics.build()))
                .put("throughput", one("overhead_weight", card.overheadWeight()))
                .put("latency", latency(card, tokens))
                .put("hbm", bandwidth(card))
                .put("memory", one("peak_tokens_factor", card.peakMemoryFactor()))
                .put(
                        "noise",
                        JsonValue.object()
                                .put("amplitude", card.noiseAmplitude())
                                .put("tail_scale", card.noiseTailScale())
                                .build())
                .put("retries", one("overhead_threshold", card.retryThreshold()))
                .put(
                        "power",
                        JsonValue.object()
                                .put("idle_fraction", target.power().idleFraction())
                                .put("util_fraction", 1 - target.power().idleFraction())
                                .build())
                .build();
    }

    private static JsonValue.Obj one(String key, double value) {
        return JsonValue.object().put(key, value).build();
    }

    private static JsonValue.Obj bandwidth(CoefficientSettings card) {
        return JsonValue.object()
                .put("base", card.hbmBase())
                .put("seq_scale", card.hbmSeqScale())
                .put("seq_norm", card.hbmSeqNorm())
                .put("max", card.hbmMax())
                .build();
    }

    private static JsonValue.Obj compute(CoefficientSettings card, double tokens) {
        return JsonValue.object()
                .put("base_tokens_per_accel", tokens)
                .put(
                        "factors",
                        JsonValue.object()
                                .put("training", card.trainingFactor())
                                .put("inference", card.inferenceFactor())
                                .build())
                .put("comm_penalty_coeff", card.commPenalty())
                .build();
    }

    private static JsonValue.Obj utilization(CoefficientSettings card) {
        return JsonValue.object()
                .put("base", card.utilization())
                .put("max", card.utilizationMax())
                .put(
                        "knob_increments",
                        JsonValue.object()
                                .put("cuda_graphs", card.cudaGraphsGain())
                                .put("gpudirect_rdma", card.gpudirectGain())
                                .put("inference_bonus", card.inferenceBonus())
                                .build())
                .build();
    }

    private static JsonValue.Obj communication(CoefficientSettings card, JsonValue.Obj fabrics) {
        return JsonValue.object()
                .put(
                        "intensity",
                        JsonValue.object()
                                .put("base", card.commBase())
                                .put("per_tp", card.commPerTp())
                                .put("per_pp", card.commPerPp())
                                .put("inference_scale", card.commInferenceScale())
                                .build())
                .put("fabric_factors", fabrics)
                .put("jitter_per_sriov", card.jitterPerSriov())
                .put("gpudirect_multiplier", card.gpudirectFactor())
                .put("min_overhead", card.minOverhead())
                .build();
    }

    private static JsonValue.Obj latency(CoefficientSettings card, double tokens) {
        return JsonValue.object()
                .put("min_p50_ms", card.minP50Ms())
                .put("base_p50_coeff", card.p50Coefficient().orElse(card.minP50Ms() * tokens * card.utilization()))
                .put("ttft_ratio", card.ttftRatio())
                .put(
                        "tail",
                        JsonValue.object()
                                .put("p95_multiplier", card.p95Multiplier())
                                .put("p99_multiplier", card.p99Multiplier())
                                .put("sriov_tail", card.sriovTail())
                                .put("comm_tail", card.commTail())
                                .build())
                .build();
    }
}
