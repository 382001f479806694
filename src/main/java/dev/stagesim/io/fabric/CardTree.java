package dev.stagesim.io.fabric;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.capacity.AcceleratorCoefficients;
import java.util.LinkedHashMap;
import java.util.Map;

/** Coefficients out of the plain tree of an accelerator card. */
final class CardTree {
    /** What the reference takes where a card says nothing; some keys have no default. */
    private static final JsonValue.Obj DEFAULTS = Json.parse(
                    """
                    {
                      "compute": {"base_tokens_per_accel": 1000.0, "factors": {"training": 1.0, "inference": 1.0}},
                      "utilization": {"base": 0.55, "max": 0.9,
                        "knob_increments": {"cuda_graphs": 0.1, "gpudirect_rdma": 0.05, "inference_bonus": 0.1}},
                      "communication": {
                        "intensity": {"base": 0.12, "per_tp": 0.02, "per_pp": 0.015, "inference_scale": 0.6},
                        "fabric_factors": {"IB": 1.0, "RoCE": 1.12, "Vendor": 1.05},
                        "jitter_per_sriov": 0.05, "gpudirect_multiplier": 0.5, "min_overhead": 0.02},
                      "throughput": {"overhead_weight": 8.0},
                      "latency": {"min_p50_ms": 5.0, "base_p50_coeff": 1000.0,
                        "tail": {"p95_multiplier": 1.5, "p99_multiplier": 2.2, "sriov_tail": 0.2, "comm_tail": 0.8}},
                      "memory": {"peak_tokens_factor": 0.001},
                      "hbm": {"base": 0.5, "seq_scale": 0.5, "seq_norm": 8192.0, "max": 0.95},
                      "noise": {"amplitude": 0.03},
                      "retries": {"overhead_threshold": 0.3}
                    }
                    """,
                    "defaults")
            .object();

    private final Fields fields;
    private final Fields.Tree card;

    private CardTree(Fields fields, JsonValue.Obj card) {
        this.fields = fields;
        this.card = new Fields.Tree("accelerator card", Plain.merge(DEFAULTS, card));
    }

    /** The coefficients; what is missing is told to {@code fields}. */
    static AcceleratorCoefficients read(JsonValue.Obj card, boolean inference, Fields fields) {
        return new CardTree(fields, card).read(inference);
    }

    private double of(String path) {
        return fields.number(card, path);
    }

    private AcceleratorCoefficients read(boolean inference) {
        // The reference looks at the factor of the mode at hand alone.
        double factor = of("compute.factors." + (inference ? "inference" : "training"));
        return new AcceleratorCoefficients(
                of("compute.base_tokens_per_accel"),
                factor,
                factor,
                of("compute.comm_penalty_coeff"),
                of("throughput.overhead_weight"),
                utilization(inference),
                communication(inference),
                latency(),
                new AcceleratorCoefficients.Memory(
                        of("hbm.base"), of("hbm.seq_scale"), of("hbm.seq_norm"), of("hbm.max")),
                new AcceleratorCoefficients.Noise(of("noise.amplitude"), of("noise.tail_scale")),
                of("memory.peak_tokens_factor"),
                of("retries.overhead_threshold"),
                of("power.idle_fraction"),
                of("power.util_fraction"));
    }

    private AcceleratorCoefficients.Utilization utilization(boolean inference) {
        return new AcceleratorCoefficients.Utilization(
                of("utilization.base"),
                of("utilization.knob_increments.cuda_graphs"),
                of("utilization.knob_increments.gpudirect_rdma"),
                inference ? of("utilization.knob_increments.inference_bonus") : 0,
                of("utilization.max"));
    }

    private AcceleratorCoefficients.Communication communication(boolean inference) {
        Map<String, Double> factors = new LinkedHashMap<>();
        fields.find(card, "communication.fabric_factors").ifPresent(found -> {
            if (found instanceof JsonValue.Obj object) {
                object.members()
                        .forEach((name, value) -> Plain.real(value).ifPresent(factor -> factors.put(name, factor)));
            }
        });
        return new AcceleratorCoefficients.Communication(
                of("communication.intensity.base"),
                of("communication.intensity.per_tp"),
                of("communication.intensity.per_pp"),
                inference ? of("communication.intensity.inference_scale") : 1,
                factors,
                of("communication.jitter_per_sriov"),
                of("communication.gpudirect_multiplier"),
                of("communication.min_overhead"));
    }

    private AcceleratorCoefficients.Latency latency() {
        return new AcceleratorCoefficients.Latency(
                of("latency.min_p50_ms"),
                of("latency.base_p50_coeff"),
                of("latency.ttft_ratio"),
                of("latency.tail.p95_multiplier"),
                of("latency.tail.p99_multiplier"),
                of("latency.tail.sriov_tail"),
                of("latency.tail.comm_tail"));
    }
}
