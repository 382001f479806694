package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.serving.EngineSchedulers;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** All schedulers count the tokens and times of their batches in the same way. */
final class BatchTokensTest {
    private static final int CHUNK = 100;

    static Stream<SchedulerSettings> schedulers() {
        EngineSchedulers.Limits few = new EngineSchedulers.Limits(Optional.of(8), Optional.of(CHUNK), Optional.empty());
        return Stream.of(
                        KeyRecord.defaults(SchedulerSettings.VllmV1.class),
                        // With overlap scheduling, SGLang computes a step after the last token of a request.
                        KeyRecord.of(SchedulerSettings.Sglang.class, Map.of("disableOverlapSchedule", true)),
                        KeyRecord.defaults(SchedulerSpec.Sarathi.class))
                .map(scheduler -> EngineSchedulers.with(scheduler, few));
    }

    private record Row(long prefill, long decode, double scheduled, double started, double ended) {}

    private static final class Rows implements ServingRecorder {
        private final List<Row> rows = new ArrayList<>();

        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.BATCHES, Signal.BATCH_ENDED);
        }

        @Override
        public void batchEnded(Batch batch, double time, RequestStates states) {
            rows.add(new Row(
                    batch.prefillTokens,
                    batch.totalTokens - batch.prefillTokens,
                    batch.scheduledAt,
                    batch.startedAt,
                    time));
        }
    }

    /** The last chunk of every second prompt has one token, which vLLM computes like a decode. */
    @ParameterizedTest
    @MethodSource("schedulers")
    void sumsTokensAndTimesOfBatches(SchedulerSettings scheduler) {
        RandomStream random = RandomStream.of(5, "prompts");
        int[] prompts = new int[12];
        int[] outputs = new int[12];
        double[] arrivals = new double[12];
        for (int i = 0; i < prompts.length; i++) {
            prompts[i] = CHUNK * (1 + (int) random.below(4)) + (i % 2 == 0 ? 1 : (int) random.below(CHUNK));
            outputs[i] = 1 + (int) random.below(20);
            arrivals[i] = i < 6 ? 2.0 * i : 12 + 0.01 * i;
        }
        ReplicaModel replica = ReplicaModel.computed(
                CardFiles.model("llama3_8b"),
                CardFiles.hardware("h100"),
                CardFiles.engine("vllm_v1"),
                scheduler,
                EngineSchedulers.cluster(1, 1, Optional.empty()),
                1024);
        Rows rows = new Rows();
        ServingSimulator.run(replica.spec(), new RequestTrace(arrivals, prompts, outputs), replica.times(), rows);
        assertThat(rows.rows.stream().mapToLong(Row::prefill).sum())
                .isEqualTo(Arrays.stream(prompts).sum());
        assertThat(rows.rows.stream().mapToLong(Row::decode).sum())
                .isEqualTo(Arrays.stream(outputs).sum() - outputs.length);
        double free = 0;
        for (Row row : rows.rows) {
            assertThat(row.started()).isGreaterThanOrEqualTo(row.scheduled());
            // A pipeline stage runs one batch at a time.
            assertThat(row.started() - free).isGreaterThan(-1e-12);
            assertThat(row.ended()).isGreaterThan(row.started());
            free = row.ended();
        }
        assertThat(free).isCloseTo(rows.rows.get(rows.rows.size() - 1).ended(), within(0.0));
    }
}
