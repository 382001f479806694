package dev.stagesim.io.training;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.sim.training.calculon.Application;
import dev.stagesim.sim.training.calculon.Execution;
import dev.stagesim.sim.training.calculon.Execution.Recompute;
import dev.stagesim.sim.training.calculon.Execution.TensorComm;
import dev.stagesim.sim.training.calculon.Execution.TensorOverlap;
import dev.stagesim.sim.training.calculon.Machine;
import dev.stagesim.sim.training.calculon.Machine.NetworkOp;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** Reads the JSON files of calculon. */
public final class CalculonFiles {
    private static final double GIGA = 1e9;

    private CalculonFiles() {}

    public static Application application(JsonAt json) {
        return new Application(
                json.get("hidden").asLong(),
                json.get("feedforward").asLong(),
                json.get("seq_size").asLong(),
                json.get("attn_heads").asLong(),
                json.get("attn_size").asLong(),
                json.get("num_blocks").asLong());
    }

    public static Execution execution(JsonAt json) {
        return new Execution(
                json.get("num_procs").asLong(),
                json.get("tensor_par").asLong(),
                json.get("pipeline_par").asLong(),
                json.get("data_par").asLong(),
                json.get("tensor_par_net").asInt(),
                json.get("pipeline_par_net").asInt(),
                json.get("data_par_net").asInt(),
                json.get("batch_size").asLong(),
                json.get("microbatch_size").asLong(),
                json.get("datatype").asString(),
                json.get("fused_activation").asBool(),
                choice(json.get("attention_type"), Attention.values()) == Attention.MULTIQUERY,
                choice(json.get("activation_recompute"), Recompute.values()),
                json.get("pipeline_interleaving").asLong(),
                json.get("optimizer_sharding").asBool(),
                choice(json.get("tensor_par_comm_type"), TensorComm.values()),
                choice(json.get("tensor_par_overlap"), TensorOverlap.values()),
                json.get("seq_par_ag_redo").asBool(),
                json.get("data_par_overlap").asBool(),
                json.get("weight_offload").asBool(),
                json.get("activations_offload").asBool(),
                json.get("optimizer_offload").asBool(),
                json.get("training").asBool());
    }

    private enum Attention {
        MULTIHEAD,
        MULTIQUERY
    }

    private static <E extends Enum<E>> E choice(JsonAt json, E[] values) {
        String name = json.asString();
        for (E value : values) {
            if (value.name().toLowerCase(Locale.ROOT).equals(name)) {
                return value;
            }
        }
        throw json.expected("one of "
                + String.join(
                        ", ",
                        Arrays.stream(values)
                                .map(value -> value.name().toLowerCase(Locale.ROOT))
                                .toList()));
    }

    public static Machine machine(JsonAt json) {
        List<Machine.Network> networks = new ArrayList<>();
        for (JsonAt network : json.get("networks").items()) {
            networks.add(network(network));
        }
        return new Machine(
                engines(json.get("matrix")),
                engines(json.get("vector")),
                memory(json.get("mem1")),
                memory(json.get("mem2")),
                choice(json.get("processing_mode"), Mode.values()) == Mode.ROOFLINE,
                networks);
    }

    private enum Mode {
        ROOFLINE,
        NO_OVERLAP
    }

    private static Map<String, Machine.Engine> engines(JsonAt json) {
        Map<String, Machine.Engine> engines = new LinkedHashMap<>();
        json.members()
                .forEach((name, engine) -> engines.put(
                        name,
                        new Machine.Engine(
                                engine.get("tflops").asDouble() * 1e12, curve(engine.get("gflops_efficiency"), GIGA))));
        return engines;
    }

    private static Machine.Memory memory(JsonAt json) {
        return new Machine.Memory(
                json.get("GiB").asDouble() * (1L << 30),
                json.get("GBps").asDouble() * GIGA,
                curve(json.get("MB_efficiency"), 1e6));
    }

    private static Machine.Curve curve(JsonAt json, double unit) {
        List<JsonAt> items = json.items();
        double[] limits = new double[items.size()];
        double[] shares = new double[items.size()];
        for (int i = 0; i < limits.length; i++) {
            double[] pair = items.get(i).asDoubles();
            if (pair.length != 2 || !(pair[1] > 0 && pair[1] <= 1)) {
                throw items.get(i).expected("a limit and a share above 0, at most 1");
            }
            limits[i] = pair[0] * unit;
            shares[i] = pair[1];
        }
        return new Machine.Curve(limits, shares);
    }

    private static Machine.Network network(JsonAt json) {
        NetworkOp[] ops = NetworkOp.values();
        double[] scalars = new double[ops.length];
        double[] offsets = new double[ops.length];
        for (NetworkOp op : ops) {
            List<JsonAt> pair =
                    json.get("ops").get(op.name().toLowerCase(Locale.ROOT)).items();
            scalars[op.ordinal()] = pair.get(0).asDouble();
            offsets[op.ordinal()] = pair.get(1).isNull() ? 0 : pair.get(1).asDouble();
        }
        return new Machine.Network(
                json.get("bandwidth").asDouble() * GIGA,
                json.get("efficiency").asDouble(),
                json.get("size").asLong(),
                json.get("latency").asDouble(),
                scalars,
                offsets,
                json.get("must_be_filled").asBool(),
                json.get("processor_usage").asDouble());
    }
}
