package dev.stagesim.io.fabric;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.capacity.AcceleratorCoefficients;
import dev.stagesim.sim.capacity.CapacityFigures;
import dev.stagesim.sim.capacity.CapacityJob;
import dev.stagesim.sim.capacity.CapacityKnobs;
import dev.stagesim.sim.capacity.CapacityNode;
import dev.stagesim.sim.capacity.SemiEmpirical;
import java.math.BigInteger;
import java.util.List;
import java.util.Optional;

/** One evaluation of the semi-empirical model on plain trees. */
final class PlainRun {
    private final Fields.Tree target;
    private final JsonValue.Obj card;

    PlainRun(JsonValue.Obj target, JsonValue.Obj card) {
        this.target = new Fields.Tree("target", target);
        this.card = card;
    }

    /** Figures of a workload; a {@link StageException} names everything that trees lack. */
    CapacityFigures figures(JsonValue.Obj workload, JsonValue.Obj knobs, BigInteger seed) {
        Fields fields = new Fields();
        fields.text(target, "vendor");
        double perNode = fields.number(target, "accelerators_per_node");
        double nodes = fields.number(target, "num_nodes");
        fields.number(target, "interconnect.bw_GBps");
        fields.number(target, "cost.hourly_usd");
        fields.number(target, "cost.pue");
        double watts = fields.number(target, "cost.energy_watts_node");
        double memory = fields.number(target, "memory_gb_per_accel");
        boolean inference = isInference(workload);
        AcceleratorCoefficients coefficients = CardTree.read(card, inference, fields);
        CapacityJob job = job(workload, inference, fields);
        CapacityKnobs settings = knobs(knobs, coefficients, fields);
        fields.check();
        return SemiEmpirical.jittered(
                coefficients, new CapacityNode(perNode * nodes, memory, watts), job, settings, seed);
    }

    /** The reference tells inference from training by the name alone. */
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
        double raw =
                fields.find(workload, "sequence.generate").flatMap(Plain::real).orElse(0.0);
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
        List<String> known = List.copyOf(card.communication().fabricFactors().keySet());
        String name = fabric.map(PlainRun::shown).orElse("");
        if (fabric.isPresent() && !known.contains(name)) {
            fields.tell(
                    knobs,
                    "fabric",
                    "'" + name + "' has no factor on the card, expected one of " + String.join(", ", known));
        }
        return new CapacityKnobs(
                microbatch,
                graphs,
                direct,
                sriov,
                card.communication().fabricFactors().getOrDefault(name, 1.0));
    }

    private static String shown(JsonValue value) {
        return value instanceof JsonValue.Str text ? text.value() : Json.compact(value);
    }

    /** The error of a knob that cannot be computed with. */
    static StageException wrongKnob(String knob, JsonValue value, String expected) {
        return StageException.input(Problem.of(
                "artifact error",
                "runtime_tuning " + knob,
                "found " + Json.describe(value) + ", expected " + expected));
    }
}
