package dev.stagesim.sim.serving;

import dev.stagesim.model.card.BatchOperators;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.TreeMap;

/**
 * Tells what each operator contributed to every batch that a stage has begun with, in order of the batches' numbers, whichever
 * end first.
 *
 * <p><b>Caveats:</b> rows wait for the batches before them, so as many are kept as batches end while an older one runs. The
 * batches that have not ended come with {@link #finish}, which the simulation's owner calls once it has stopped.
 */
public final class OperationLog implements ServingRecorder {
    /** Takes the rows. */
    public interface Sink {
        /**
         * One batch.
         *
         * @param model milliseconds of {@link dev.stagesim.model.card.BatchOperators#MODEL}, NaN for what the batch has none of
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

    /** A log of the batches of one simulation. */
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
        open.put(batch.id(), new Open(batch));
        scheduled = batch.id() + 1;
    }

    @Override
    public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
        opened(batch.id()).begun = stage + 1;
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        ended.put(batch.id(), row(opened(batch.id())));
        open.remove(batch.id());
        for (Row row = ended.remove(next); row != null; row = ended.remove(next)) {
            sink.row(next++, row.model(), row.host());
        }
    }

    /** Tells the rest: what waits, and the batches that a stage had begun with when the simulation stopped. */
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
     * What each operator contributed to a batch: milliseconds of one layer, mean over the pipeline stages that have begun with it.
     *
     * <p>With {@link Accident#LOGGED_SUMS} as the reference logs it: {@code add} doubled although its time counts once, sums over layers and stages
     * divided again. Both all-reduce columns hold one transfer with its overheads.
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
         * Times on the device, of {@link BatchOperators#MODEL}; NaN for attention that a batch has none of.
         *
         * @param begun stages that have begun with the batch, from the first on
         */
        double[] model(Batch batch, int begun) {
            int tile = spec.tileTokens();
            int tokens = (batch.step().tokens() + tile - 1) / tile * tile;
            StepTimes.Step step = batch.step();
            int stages = spec.cluster().pipelineStages();
            double comm = allReduce(tokens);
            int sends = Math.min(begun, stages - 1);
            double send = sends == 0 ? 0 : sum(at(Operator.SEND_RECV, tokens), sends) / begun;
            double norm = spec.model().postAttentionNorm() ? at(Operator.POST_ATTENTION_LAYERNORM, tokens) : 0;
            int logged = begun * (spec.model().layers() / stages);
            double[] row = {
                at(Operator.MLP_UP_PROJ, tokens),
                at(Operator.MLP_ACT, tokens),
                at(Operator.MLP_DOWN_PROJ, tokens),
                comm,
                at(Operator.ATTN_PRE_PROJ, tokens),
                at(Operator.ATTN_POST_PROJ, tokens),
                comm,
                step.prefillMs() == 0 ? Double.NaN : step.prefillMs(),
                at(Operator.ATTN_KV_CACHE_SAVE, batch.step().tokens()),
                step.decodeMs() == 0 ? Double.NaN : step.decodeMs(),
                at(Operator.ATTN_ROPE, tokens),
                0,
                (spec.has(Accident.LOGGED_SUMS) ? 2 : 1) * at(Operator.ADD, tokens),
                at(Operator.INPUT_LAYERNORM, tokens),
                norm
            };
            Arrays.setAll(row, i -> mean(row[i], logged));
            row[SEND_RECV] = send;
            return row;
        }

        /** Times on the host, of {@link BatchOperators#HOST}, 0 when they are not modelled, and the device's whole time per stage in their midst. */
        double[] host(Batch batch, int begun) {
            double[] ms = new double[STEPS.size()];
            for (int i = 0; i < ms.length && spec.timing().cpuOverheads(); i++) {
                ms[i] = mean(at(STEPS.get(i), batch.size()), begun);
            }
            StepTimes.Step step = batch.step();
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

        /** With that accident adds the value up as often as it is logged before dividing: the rounding is part of the figure. */
        private double mean(double value, int logged) {
            return spec.has(Accident.LOGGED_SUMS) ? sum(value, logged) / logged : value;
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
