package dev.stagesim.sim.serving.metrics;

import dev.stagesim.model.card.BatchOperators;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * Logs the operator times of every batch that a stage has started, in the order of the batch numbers, not of the ends.
 *
 * <p><b>Caveats:</b> rows wait for earlier batches, so memory depends on the number of batches that end while an older one
 * runs. {@link #finish}, which the owner of the simulation calls after its end, logs the unfinished batches.
 */
public final class OperationLog implements ServingRecorder {
    /** Receives the rows. */
    public interface Sink {
        /**
         * Receives the row of one batch.
         *
         * @param model milliseconds of {@link dev.stagesim.model.card.BatchOperators#MODEL}; NaN for operators that the batch
         *         does not have
         * @param host milliseconds of {@link dev.stagesim.model.card.BatchOperators#HOST}
         */
        void row(long batch, double[] model, double[] host);
    }

    private record Row(double[] model, double[] host) {}

    private static final class Open {
        private final Batch batch;
        private int begun;

        Open(Batch batch) {
            this.batch = batch;
        }
    }

    private final BatchOperations operations;
    private final Sink sink;
    private final TreeMap<Long, Open> open = new TreeMap<>();
    private final TreeMap<Long, Row> ended = new TreeMap<>();
    private long next;
    private long scheduled;

    /** Creates a log of the batches of one simulation. */
    public OperationLog(ServingSpec spec, OperatorTimes times, Sink sink) {
        this.operations = new BatchOperations(spec, times);
        this.sink = sink;
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCHES);
    }

    @Override
    public void batchScheduled(Batch batch, double time) {
        open.put(batch.id, new Open(batch));
        scheduled = batch.id + 1;
    }

    @Override
    public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
        opened(batch.id).begun = stage + 1;
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        ended.put(batch.id, row(opened(batch.id)));
        open.remove(batch.id);
        for (Row row = ended.remove(next); row != null; row = ended.remove(next)) {
            sink.row(next++, row.model(), row.host());
        }
    }

    /** Logs the pending rows, including the batches that a stage had started when the simulation stopped. */
    public void finish() {
        for (; next < scheduled; next++) {
            Open batch = open.get(next);
            Row row = batch == null ? ended.get(next) : batch.begun == 0 ? null : row(batch);
            if (row != null) {
                sink.row(next, row.model(), row.host());
            }
        }
    }

    private Open opened(long batch) {
        Open found = open.get(batch);
        if (found == null) {
            throw new IllegalStateException("batch " + batch + " was not scheduled");
        }
        return found;
    }

    private Row row(Open at) {
        return new Row(operations.model(at.batch, at.begun), operations.host(at.batch, at.begun));
    }

    /**
     * Operator times of a batch: milliseconds of one layer, as a mean over the pipeline stages that have started the batch.
     *
     * <p>{@link VidurQuirk#LOGGED_SUMS} selects the log of the reference: {@code add} is doubled although its time counts
     * once, and sums over layers and stages are divided again. Both all-reduce columns contain one transfer with its
     * overheads.
     */
    private static final class BatchOperations {
        private static final int SEND_RECV = BatchOperators.MODEL.indexOf("pipeline_send_recv");
        private static final List<Operator> STEPS = List.of(
                Operator.SCHEDULE,
                Operator.SAMPLER_E2E,
                Operator.PREPARE_INPUTS_E2E,
                Operator.PROCESS_MODEL_OUTPUTS,
                Operator.RAY_COMM_TIME);

        private final ServingSpec spec;
        private final OperatorTimes times;

        BatchOperations(ServingSpec spec, OperatorTimes times) {
            this.spec = spec;
            this.times = times;
        }

        /**
         * Returns the device times of {@link BatchOperators#MODEL}; NaN for attention that the batch does not have.
         *
         * @param begun number of stages, from the first, that have started the batch
         */
        double[] model(Batch batch, int begun) {
            int tile = spec.tileTokens();
            int tokens = (batch.step.tokens + tile - 1) / tile * tile;
            StepTimes.Step step = batch.step;
            int stages = spec.cluster().pipelineStages();
            double comm = allReduce(tokens);
            int sends = Math.min(begun, stages - 1);
            double send = sends == 0 ? 0 : sum(at(Operator.SEND_RECV, tokens), sends) / begun;
            double norm = spec.model().postAttentionNorm() ? at(Operator.POST_ATTENTION_LAYERNORM, tokens) : 0;
            int logged = begun * spec.layersPerStage();
            double[] row = {
                at(Operator.MLP_UP_PROJ, tokens),
                at(Operator.MLP_ACT, tokens),
                at(Operator.MLP_DOWN_PROJ, tokens),
                comm,
                at(Operator.ATTN_PRE_PROJ, tokens),
                at(Operator.ATTN_POST_PROJ, tokens),
                comm,
                step.prefillMs == 0 ? Double.NaN : step.prefillMs,
                at(Operator.ATTN_KV_CACHE_SAVE, batch.step.tokens),
                step.decodeMs == 0 ? Double.NaN : step.decodeMs,
                at(Operator.ATTN_ROPE, tokens),
                0,
                (spec.has(VidurQuirk.LOGGED_SUMS) ? 2 : 1) * at(Operator.ADD, tokens),
                at(Operator.INPUT_LAYERNORM, tokens),
                norm
            };
            Arrays.setAll(row, i -> mean(row[i], logged));
            row[SEND_RECV] = send;
            return row;
        }

        /**
         * Returns the host times of {@link BatchOperators#HOST}, 0 if they are not modelled. Between them is the total
         * device time per stage.
         */
        double[] host(Batch batch, int begun) {
            double[] ms = new double[STEPS.size()];
            for (int i = 0; i < ms.length && spec.timing().cpuOverheads(); i++) {
                ms[i] = mean(at(STEPS.get(i), batch.size), begun);
            }
            StepTimes.Step step = batch.step;
            int stages = spec.cluster().pipelineStages();
            double modelMs = 0;
            for (int stage = 0; stage < begun; stage++) {
                modelMs += step.modelSeconds(stage == stages - 1) * 1e3;
            }
            return new double[] {ms[0], ms[1], ms[2], modelMs / begun, ms[3], ms[4]};
        }

        private double allReduce(int tokens) {
            int devices = spec.cluster().tensorParallel();
            return devices == 1
                    ? 0
                    : at(Operator.ALL_REDUCE, tokens)
                            + spec.timing().ncclLaunchMs()
                            + spec.timing().ncclSkewMs() * Math.pow(devices, 1.25);
        }

        private double at(Operator operator, int count) {
            return times.milliseconds(operator, count);
        }

        /**
         * Reproduces the rounding of the reference with {@link VidurQuirk#LOGGED_SUMS}: adds the value once per log entry,
         * then divides.
         */
        private double mean(double value, int logged) {
            return spec.has(VidurQuirk.LOGGED_SUMS) ? sum(value, logged) / logged : value;
        }

        private static double sum(double value, int count) {
            double sum = 0;
            for (int i = 0; i < count; i++) {
                sum += value;
            }
            return sum;
        }
    }
}
