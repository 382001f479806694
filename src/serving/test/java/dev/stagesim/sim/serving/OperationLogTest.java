package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.BatchOperators;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.metrics.OperationLog;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import java.util.TreeMap;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The log equals the reference's: means of the operator times at the start of each stage, sorted by batch. */
class OperationLogTest {
    /** Records every layer of every stage in lists. */
    private static final class Notes implements ServingRecorder {
        private final ServingSpec spec;
        private final OperatorTimes times;
        final TreeMap<Long, TreeMap<String, List<Double>>> of = new TreeMap<>();
        long ended;

        Notes(ServingSpec spec, OperatorTimes times) {
            this.spec = spec;
            this.times = times;
        }

        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.BATCHES);
        }

        @Override
        public void batchEnded(Batch batch, double time, RequestStates states) {
            ended++;
        }

        @Override
        public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
            int tile = spec.quirks() ? 8 : 1;
            int tokens = (batch.totalTokens + tile - 1) / tile * tile;
            boolean last = stage == spec.cluster().pipelineStages() - 1;
            for (int layer = 0; layer < spec.layersPerStage(); layer++) {
                note(batch, "mlp_up_proj", times.milliseconds(Operator.MLP_UP_PROJ, tokens));
                note(batch, "attn_kv_cache_save", times.milliseconds(Operator.ATTN_KV_CACHE_SAVE, batch.totalTokens));
                note(batch, "add", times.milliseconds(Operator.ADD, tokens) * (spec.quirks() ? 2 : 1));
                if (batch.step.decodeMs != 0) {
                    note(batch, "attn_decode", batch.step.decodeMs);
                }
            }
            note(batch, "pipeline_send_recv", last ? 0 : times.milliseconds(Operator.SEND_RECV, tokens));
            note(batch, "model_execution_e2e", batch.step.modelSeconds(last) * 1e3);
            boolean host = spec.timing().cpuOverheads();
            note(batch, "schedule", host ? times.milliseconds(Operator.SCHEDULE, batch.size) : 0);
        }

        private void note(Batch batch, String name, double ms) {
            of.computeIfAbsent(batch.id, id -> new TreeMap<>())
                    .computeIfAbsent(name, any -> new ArrayList<>())
                    .add(ms);
        }

        double mean(long batch, String name) {
            List<Double> values = of.get(batch).get(name);
            if (values == null) {
                return Double.NaN;
            }
            double sum = 0;
            for (double value : values) {
                sum += value;
            }
            return sum / values.size();
        }
    }

    private record Row(long batch, double[] model, double[] host) {}

    @Test
    void logsMeansOfEveryStartedBatch() {
        compareRuns(30);
    }

    @Test
    @Tag("long")
    void logsMeansOfEveryStartedBatchInManyRuns() {
        compareRuns(300);
    }

    private static void compareRuns(int seeds) {
        int cutOff = 0;
        int outOfOrder = 0;
        for (int seed = 0; seed < seeds; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            ServingSpec spec = PlainSimulatorTest.spec(seed % 5, random);
            OperatorTimes times = new PlainSimulatorTest.Scattered(seed, false, 1 << 20);
            Notes notes = new Notes(spec, times);
            List<Row> rows = new ArrayList<>();
            OperationLog log =
                    new OperationLog(spec, times, (batch, model, host) -> rows.add(new Row(batch, model, host)));
            List<Long> ends = new ArrayList<>();
            ServingRecorder order = new ServingRecorder() {
                @Override
                public Set<Signal> signals() {
                    return EnumSet.of(Signal.BATCHES);
                }

                @Override
                public void batchEnded(Batch batch, double time, RequestStates states) {
                    ends.add(batch.id);
                }
            };
            ServingSimulator.run(spec, PlainSimulatorTest.trace(random), times, notes, log, order);
            log.finish();
            assertThat(rows).extracting(Row::batch).containsExactlyElementsOf(notes.of.keySet());
            rows.forEach(row -> compare(spec, notes, row));
            cutOff += rows.size() > notes.ended ? 1 : 0;
            outOfOrder += ends.equals(ends.stream().sorted().toList()) ? 0 : 1;
        }
        assertThat(cutOff).isGreaterThanOrEqualTo(Math.max(1, seeds / 30));
        assertThat(outOfOrder).isGreaterThanOrEqualTo(Math.max(1, seeds / 30));
    }

    private static void compare(ServingSpec spec, Notes notes, Row row) {
        for (String name : List.of("mlp_up_proj", "attn_kv_cache_save", "add", "attn_decode", "pipeline_send_recv")) {
            same(spec, notes.mean(row.batch, name), row.model[BatchOperators.MODEL.indexOf(name)]);
        }
        for (String name : List.of("model_execution_e2e", "schedule")) {
            same(spec, notes.mean(row.batch, name), row.host[BatchOperators.HOST.indexOf(name)]);
        }
    }

    private static void same(ServingSpec spec, double expected, double actual) {
        if (spec.quirks() || Double.isNaN(expected)) {
            assertThat(actual).isEqualTo(Double.valueOf(expected));
        } else {
            assertThat(actual).isCloseTo(expected, within(1e-9 * expected + 1e-12));
        }
    }
}
