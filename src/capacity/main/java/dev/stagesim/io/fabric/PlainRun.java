package dev.stagesim.io.fabric;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.capacity.AcceleratorCard;
import dev.stagesim.sim.capacity.AcceleratorCoefficients;
import dev.stagesim.sim.capacity.CapacityFigures;
import dev.stagesim.sim.capacity.CapacityJob;
import dev.stagesim.sim.capacity.CapacityKnobs;
import dev.stagesim.sim.capacity.CapacityNode;
import dev.stagesim.sim.capacity.SemiEmpirical;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.ToDoubleFunction;

/** Evaluates the semi-empirical model on JSON trees of Atlas Fabric. */
final class PlainRun {
    private final Fields.Tree target;
    private final Card card;

    /** Coefficients of an accelerator; missing ones are reported to {@code fields}. */
    interface Card {
        AcceleratorCoefficients read(boolean inference, Fields fields);
    }

    PlainRun(JsonValue.Obj target, Card card) {
        this.target = new Fields.Tree("target", target);
        this.card = card;
    }

    /** Returns the metrics of a workload. The {@link StageException} lists all missing values. */
    CapacityFigures figures(JsonValue.Obj workload, JsonValue.Obj knobs, BigInteger seed) {
        Fields fields = new Fields();
        fields.text(target, "vendor");
        double accelerators = count(fields, "accelerators_per_node") * count(fields, "num_nodes");
        if (accelerators == 0) {
            fields.report(target, "accelerators_per_node", "no accelerators: float division by zero");
        }
        fields.number(target, "interconnect.bw_GBps");
        fields.number(target, "cost.hourly_usd");
        fields.number(target, "cost.pue");
        double watts = fields.number(target, "cost.energy_watts_node");
        double memory = fields.number(target, "memory_gb_per_accel");
        boolean inference = isInference(workload);
        AcceleratorCoefficients coefficients = card.read(inference, fields);
        CapacityJob job = job(workload, inference, fields);
        CapacityKnobs settings = knobs(knobs, coefficients, fields);
        fields.check();
        return SemiEmpirical.jittered(coefficients, new CapacityNode(accelerators, memory, watts), job, settings, seed);
    }

    /** Returns a number that Atlas Fabric multiplies without conversion, so a string is an error. */
    private double count(Fields fields, String path) {
        double number = fields.number(target, path);
        if (target.value().get(path).filter(JsonValue.Str.class::isInstance).isPresent()) {
            fields.report(target, path, "found a string, expected a number: the reference cannot multiply a string");
        }
        return number;
    }

    /** True for inference. Atlas Fabric distinguishes inference from training only by the name. */
    static boolean isInference(JsonValue.Obj workload) {
        return Plain.text(workload, "name").orElse("").contains("inference");
    }

    private static CapacityJob job(JsonValue.Obj tree, boolean inference, Fields fields) {
        Fields.Tree workload = new Fields.Tree("workload", tree);
        long hidden = fields.integer(workload, "params.hidden_size");
        long layers = fields.integer(workload, "params.n_layers");
        long prompt = fields.integer(workload, "sequence.prompt");
        long generate = fields.integer(workload, "sequence.generate");
        fields.integer(workload, "duration_minutes");
        Optional<JsonValue> generated = fields.find(workload, "sequence.generate");
        double raw = generated.flatMap(Plain::real).orElse(0.0);
        if (inference && generated.filter(JsonValue.Str.class::isInstance).isPresent()) {
            fields.report(
                    workload,
                    "sequence.generate",
                    "found a string, expected a number: the reference cannot compare a string");
        }
        return new CapacityJob(
                inference,
                prompt,
                generate,
                raw > 0,
                fields.integer(workload, "parallelism.tp"),
                fields.integer(workload, "parallelism.pp"),
                fields.integer(workload, "parallelism.dp"),
                hidden,
                layers);
    }

    private static CapacityKnobs knobs(JsonValue.Obj tree, AcceleratorCoefficients card, Fields fields) {
        Fields.Tree knobs = new Fields.Tree("runtime_tuning", tree);
        long microbatch = fields.integer(knobs, "microbatch");
        boolean graphs = fields.find(knobs, "cuda_graphs").filter(Plain::truth).isPresent();
        boolean direct =
                fields.find(knobs, "gpudirect_rdma").filter(Plain::truth).isPresent();
        boolean sriov =
                fields.find(knobs, "virt").filter(JsonValue.of("sriov")::equals).isPresent();
        Optional<JsonValue> fabric = fields.find(knobs, "fabric");
        List<String> known =
                List.copyOf(card.card().communication().fabricFactors().keySet());
        String name = fabric.map(PlainRun::shown).orElse("");
        if (fabric.isPresent() && !known.contains(name)) {
            fields.report(
                    knobs,
                    "fabric",
                    "'" + name + "' has no factor on the card, expected one of " + String.join(", ", known));
        }
        return new CapacityKnobs(
                microbatch,
                graphs,
                direct,
                sriov,
                card.card().communication().fabricFactors().getOrDefault(name, 1.0));
    }

    private static String shown(JsonValue value) {
        return value instanceof JsonValue.Str text ? text.value() : Json.compact(value);
    }

    /** Returns the error for a knob with an invalid value. */
    static StageException wrongKnob(String knob, JsonValue value, String expected) {
        return StageException.input(
                Problem.artifact("runtime_tuning " + knob, "found " + Json.describe(value) + ", expected " + expected));
    }

    /** Defaults of Atlas Fabric for missing card values; some keys have no default. */
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

    /** Returns the coefficients from an accelerator card that is a plain tree. */
    static Card card(JsonValue.Obj card) {
        Fields.Tree tree = new Fields.Tree("accelerator card", Plain.merge(DEFAULTS, card));
        return (inference, fields) -> read(tree, inference, fields);
    }

    /** Returns validated coefficients, with default factors for networks that the card does not name. */
    static Card card(AcceleratorCoefficients known) {
        Map<String, Double> factors = factors(new Fields.Tree("", DEFAULTS), new Fields());
        factors.putAll(known.card().communication().fabricFactors());
        AcceleratorCard card = KeyRecord.with(AcceleratorCard.class, known.card(), Map.of("fabricFactors", factors));
        AcceleratorCoefficients all = new AcceleratorCoefficients(
                card, known.tokensPerAccel(), known.p50Coefficient(), known.idlePower(), known.busyPower());
        return (inference, fields) -> all;
    }

    private static Map<String, Double> factors(Fields.Tree card, Fields fields) {
        Map<String, Double> factors = new LinkedHashMap<>();
        fields.find(card, "communication.fabric_factors")
                .filter(JsonValue.Obj.class::isInstance)
                .ifPresent(found -> ((JsonValue.Obj) found).members().forEach((name, value) -> Plain.real(value)
                        .ifPresent(factor -> factors.put(name, factor))));
        return factors;
    }

    private static AcceleratorCoefficients read(Fields.Tree card, boolean inference, Fields fields) {
        ToDoubleFunction<String> number = path -> fields.number(card, path);
        AcceleratorCard read = accelerator(card, inference, fields, number);
        return new AcceleratorCoefficients(
                read,
                read.throughput().tokensPerAccel().orElseThrow(),
                number.applyAsDouble("latency.base_p50_coeff"),
                number.applyAsDouble("power.idle_fraction"),
                number.applyAsDouble("power.util_fraction"));
    }

    private static AcceleratorCard accelerator(
            Fields.Tree card, boolean inference, Fields fields, ToDoubleFunction<String> number) {
        // Atlas Fabric reads only the factor of the current mode
        double factor = number.applyAsDouble("compute.factors." + (inference ? "inference" : "training"));
        return new AcceleratorCard(
                new AcceleratorCard.TokenRate(
                        Optional.of(number.applyAsDouble("compute.base_tokens_per_accel")),
                        factor,
                        factor,
                        number.applyAsDouble("compute.comm_penalty_coeff"),
                        number.applyAsDouble("throughput.overhead_weight")),
                new AcceleratorCard.UtilisationTerms(
                        number.applyAsDouble("utilization.base"),
                        number.applyAsDouble("utilization.knob_increments.cuda_graphs"),
                        number.applyAsDouble("utilization.knob_increments.gpudirect_rdma"),
                        inference ? number.applyAsDouble("utilization.knob_increments.inference_bonus") : 0,
                        number.applyAsDouble("utilization.max")),
                new AcceleratorCard.OverheadTerms(
                        number.applyAsDouble("communication.intensity.base"),
                        number.applyAsDouble("communication.intensity.per_tp"),
                        number.applyAsDouble("communication.intensity.per_pp"),
                        inference ? number.applyAsDouble("communication.intensity.inference_scale") : 1,
                        factors(card, fields),
                        number.applyAsDouble("communication.jitter_per_sriov"),
                        number.applyAsDouble("communication.gpudirect_multiplier"),
                        number.applyAsDouble("communication.min_overhead")),
                new AcceleratorCard.LatencyTerms(
                        number.applyAsDouble("latency.min_p50_ms"),
                        Optional.empty(),
                        number.applyAsDouble("latency.ttft_ratio"),
                        number.applyAsDouble("latency.tail.p95_multiplier"),
                        number.applyAsDouble("latency.tail.p99_multiplier"),
                        number.applyAsDouble("latency.tail.sriov_tail"),
                        number.applyAsDouble("latency.tail.comm_tail")),
                new AcceleratorCard.BandwidthTerms(
                        number.applyAsDouble("hbm.base"),
                        number.applyAsDouble("hbm.seq_scale"),
                        number.applyAsDouble("hbm.seq_norm"),
                        number.applyAsDouble("hbm.max")),
                number.applyAsDouble("memory.peak_tokens_factor"),
                new AcceleratorCard.JitterTerms(
                        number.applyAsDouble("noise.amplitude"), number.applyAsDouble("noise.tail_scale")),
                number.applyAsDouble("retries.overhead_threshold"));
    }
}
