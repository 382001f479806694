package dev.stagesim.verify.vidur;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.Batch;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.StepTimes;
import java.util.ArrayList;
import java.util.List;

/**
 * Per batch the mean of each operator's time over layers, as the reference logs it: summed up layer by layer, {@code
 * add} doubled, both all-reduce columns with the whole communication time, attention empty where there is none.
 */
final class OperationTables {
    private static final List<Operator> CPU = List.of(
            Operator.SCHEDULE,
            Operator.SAMPLER_E2E,
            Operator.PREPARE_INPUTS_E2E,
            Operator.PROCESS_MODEL_OUTPUTS,
            Operator.RAY_COMM_TIME);

    final ActualTable model = new ActualTable();
    final ActualTable cpu = new ActualTable();
    private final boolean wanted;
    private final ServingSpec spec;
    private final OperatorTimes times;
    private final List<ActualTable.Numbers> modelColumns = new ArrayList<>();
    private final List<ActualTable.Numbers> cpuColumns = new ArrayList<>();

    OperationTables(ServingSpec spec, OperatorTimes times, boolean wanted) {
        this.spec = spec;
        this.times = times;
        this.wanted = wanted;
        for (String name : List.of(
                "Batch Id",
                "mlp_up_proj",
                "mlp_activation",
                "mlp_down_proj",
                "mlp_down_proj_all_reduce",
                "attn_pre_proj",
                "attn_post_proj",
                "attn_post_proj_all_reduce",
                "attn_prefill",
                "attn_kv_cache_save",
                "attn_decode",
                "attn_rope",
                "pipeline_send_recv",
                "add",
                "input_layernorm",
                "post_attention_layernorm")) {
            modelColumns.add(model.numbers(name));
        }
        for (String name : List.of(
                "Batch Id",
                "schedule",
                "sample_e2e",
                "prepare_inputs_e2e",
                "model_execution_e2e",
                "process_model_outputs",
                "ray_comm_time")) {
            cpuColumns.add(cpu.numbers(name));
        }
    }

    void ended(Batch batch) {
        if (wanted) {
            modelRow(batch);
            cpuRow(batch);
        }
    }

    private void modelRow(Batch batch) {
        int tokens = (batch.totalTokens() + 7) / 8 * 8;
        StepTimes.Step step = batch.step();
        int stages = spec.cluster().pipelineStages();
        double comm = allReduce(tokens);
        double send = stages == 1 ? 0 : times.milliseconds(Operator.SEND_RECV, tokens) * (stages - 1) / stages;
        double norm = spec.model().postAttentionNorm() ? at(Operator.POST_ATTENTION_LAYERNORM, tokens) : 0;
        fill(
                modelColumns,
                (double) batch.id(),
                overLayers(at(Operator.MLP_UP_PROJ, tokens)),
                overLayers(at(Operator.MLP_ACT, tokens)),
                overLayers(at(Operator.MLP_DOWN_PROJ, tokens)),
                overLayers(comm),
                overLayers(at(Operator.ATTN_PRE_PROJ, tokens)),
                overLayers(at(Operator.ATTN_POST_PROJ, tokens)),
                overLayers(comm),
                step.prefillMs() == 0 ? Double.NaN : overLayers(step.prefillMs()),
                overLayers(at(Operator.ATTN_KV_CACHE_SAVE, batch.totalTokens())),
                step.decodeMs() == 0 ? Double.NaN : overLayers(step.decodeMs()),
                overLayers(at(Operator.ATTN_ROPE, tokens)),
                send,
                overLayers(2 * at(Operator.ADD, tokens)),
                overLayers(at(Operator.INPUT_LAYERNORM, tokens)),
                overLayers(norm));
        model.endRow();
    }

    private double allReduce(int tokens) {
        int devices = spec.cluster().tensorParallel();
        return devices == 1
                ? 0
                : at(Operator.ALL_REDUCE, tokens)
                        + spec.timing().ncclLaunchMs()
                        + spec.timing().ncclSkewMs() * Math.pow(devices, 1.25);
    }

    private void cpuRow(Batch batch) {
        double[] ms = new double[CPU.size()];
        for (int i = 0; i < ms.length && spec.timing().cpuOverheads(); i++) {
            ms[i] = at(CPU.get(i), batch.size());
        }
        StepTimes.Step step = batch.step();
        int stages = spec.cluster().pipelineStages();
        double modelMs = 0;
        for (int stage = 0; stage < stages; stage++) {
            modelMs += step.modelSeconds(stage == stages - 1) * 1e3;
        }
        modelMs /= stages;
        fill(cpuColumns, (double) batch.id(), ms[0], ms[1], ms[2], modelMs, ms[3], ms[4]);
        cpu.endRow();
    }

    private double at(Operator operator, int count) {
        return times.milliseconds(operator, count);
    }

    private static void fill(List<ActualTable.Numbers> columns, double... row) {
        for (int i = 0; i < row.length; i++) {
            columns.get(i).add(row[i]);
        }
    }

    /** Adds the value up once for each layer before dividing: the rounding is part of the logged figure. */
    private double overLayers(double value) {
        int layers = spec.model().layers();
        double sum = 0;
        for (int i = 0; i < layers; i++) {
            sum += value;
        }
        return sum / layers;
    }
}
