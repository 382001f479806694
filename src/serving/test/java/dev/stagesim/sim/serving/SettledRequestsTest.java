package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The states of settled requests are final, and their progress can be released without an effect on other requests. */
final class SettledRequestsTest {
    private static final int REQUESTS = 6000;

    /** The states of settled requests at the time of their report. */
    private static final class Settled implements ServingRecorder {
        private final List<List<Object>> rows = new ArrayList<>();
        private final boolean releases;

        Settled(boolean releases) {
            this.releases = releases;
        }

        @Override
        public void requestsSettled(int end, RequestStates states) {
            assertThat(end).isGreaterThan(rows.size());
            while (rows.size() < end) {
                rows.add(row(rows.size(), states));
            }
            if (releases) {
                states.release(end);
            }
        }

        static List<Object> row(int i, RequestStates states) {
            return List.of(
                    states.completed(i),
                    states.scheduledAt(i),
                    states.prefillCompletedAt(i),
                    states.completedAt(i),
                    states.execution(i),
                    states.modelExecution(i),
                    states.preempted(i),
                    states.emittedTokens(i),
                    states.processedTokens(i),
                    states.prefillTokens(i),
                    states.decodeTokens(i),
                    states.restarts(i));
        }
    }

    private static SchedulerSpec scheduler(String kind, int stages) {
        SchedulerSpec.Limits paged = ServingFixtures.limits(8, 4, 0.01, 60);
        return switch (kind) {
            case "vllm" -> new SchedulerSpec.Vllm(paged, 4096);
            case "sarathi" -> new SchedulerSpec.Sarathi(paged, 16);
            case "orca" -> new SchedulerSpec.Orca(ServingFixtures.limits(8, 4, 0, 3000));
            case "faster_transformer" -> new SchedulerSpec.FasterTransformer(ServingFixtures.limits(8, 4, 0, 3000));
            default ->
                VllmFixtures.onStages(
                        VllmFixtures.engine(
                                VllmFixtures.settings(
                                        8, 256, Map.of("asyncScheduling", kind.equals("vllm_v1_asynchronous"))),
                                40,
                                Map.of()),
                        stages);
        };
    }

    @ParameterizedTest
    @CsvSource({
        "vllm, 1, 1",
        "vllm, 2, 3",
        "sarathi, 1, 2",
        "orca, 1, 1",
        "faster_transformer, 1, 2",
        "vllm_v1_asynchronous, 1, 1",
        "vllm_v1_asynchronous, 2, 2",
        "vllm_v1, 1, 3"
    })
    void keepTheirStates(String kind, int replicas, int stages) {
        SplittableRandom random = new SplittableRandom(7);
        double[][] rows = new double[REQUESTS][];
        double time = 0;
        for (int i = 0; i < REQUESTS; i++) {
            time += random.nextDouble() * 0.1;
            rows[i] = ServingFixtures.request(time, 1 + random.nextInt(40), 1 + random.nextInt(30));
        }
        RequestTrace trace = ServingFixtures.trace(rows);
        ServingSpec spec = ServingFixtures.spec(scheduler(kind, stages), replicas, stages, false);
        Settled settled = new Settled(false);
        ServingOutcome outcome = ServingSimulator.run(spec, trace, ServingFixtures.flat(), settled);
        assertThat(outcome.completed()).isEqualTo(REQUESTS);
        assertThat(settled.rows).hasSizeGreaterThan(REQUESTS / 3);
        for (int i = 0; i < settled.rows.size(); i++) {
            assertThat(settled.rows.get(i)).as("request %d", i).isEqualTo(Settled.row(i, outcome.states()));
        }
        Settled released = new Settled(true);
        RequestStates states = ServingSimulator.run(spec, trace, ServingFixtures.flat(), released)
                .states();
        assertThat(released.rows).isEqualTo(settled.rows);
        for (int i = released.rows.size(); i < REQUESTS; i++) {
            assertThat(Settled.row(i, states)).as("request %d", i).isEqualTo(Settled.row(i, outcome.states()));
        }
        assertThatThrownBy(() -> states.execution(0)).hasMessageContaining("the progress of request 0 was released");
    }
}
