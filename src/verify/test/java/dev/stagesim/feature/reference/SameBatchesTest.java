package dev.stagesim.feature.reference;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The engine and the simulator form equal batches for equal arrivals and step times. */
class SameBatchesTest {
    private static final SchedulerSpec.Limits LIMITS = new SchedulerSpec.Limits(8, 4, 0.01, 60);

    static List<SchedulerSpec> schedulers() {
        return List.of(
                new SchedulerSpec.Sarathi(LIMITS, 24),
                new SchedulerSpec.Vllm(LIMITS, 96),
                new SchedulerSpec.Orca(LIMITS),
                new SchedulerSpec.FasterTransformer(LIMITS),
                new SchedulerSpec.LightLlm(new SchedulerSpec.Limits(8, 1, 0, 240), 96, 3));
    }

    /** Times that depend on all sizes, so that different batches have different times. */
    private record Times() implements OperatorTimes {
        @Override
        public double milliseconds(Operator operator, int count) {
            return 0.01 + 0.001 * count;
        }

        @Override
        public double decodeMilliseconds(int batch, int kvTokens) {
            return 0.002 * batch + 0.0001 * kvTokens;
        }

        @Override
        public double prefillMilliseconds(int kvTokens, int chunkTokens) {
            return 0.003 * chunkTokens + 0.0001 * kvTokens;
        }

        @Override
        public Coverage coverage() {
            return new Coverage(4096, 128, 4096, 4096, 1);
        }
    }

    /** Records the batches of a simulation and their durations. */
    private static final class Log implements ServingRecorder {
        private final List<String> batches = new ArrayList<>();
        private final List<Long> nanos = new ArrayList<>();

        @Override
        public Set<Signal> signals() {
            return EnumSet.of(Signal.BATCHES);
        }

        @Override
        public void batchScheduled(Batch batch, double time) {
            batches.add(text(batch));
        }

        @Override
        public void stageEnded(Batch batch, int stage, double time, double total, double model) {
            nanos.add(Math.round(total * 1e9));
        }
    }

    private static String text(Batch batch) {
        StringBuilder text = new StringBuilder();
        for (int i = 0; i < batch.size; i++) {
            text.append(' ').append(batch.requests[i]).append(':').append(batch.tokens[i]);
        }
        return text.toString();
    }

    /** A clock that is advanced manually. */
    private static final class Virtual implements EngineClock {
        private long time;

        @Override
        public long now() {
            return time;
        }

        @Override
        public void await(long until, Runnable meanwhile) {
            time = Math.max(time, until);
        }
    }

    private static RequestTrace trace() {
        SplittableRandom random = new SplittableRandom(11);
        int n = 60;
        double[] arrivals = new double[n];
        int[] prompts = new int[n];
        int[] outputs = new int[n];
        double at = 0;
        for (int i = 0; i < n; i++) {
            at += random.nextInt(1, 4000) * 1e-6;
            arrivals[i] = at;
            prompts[i] = random.nextInt(1, 60);
            outputs[i] = random.nextInt(1, 30);
        }
        return new RequestTrace(arrivals, prompts, outputs);
    }

    @ParameterizedTest
    @MethodSource("schedulers")
    void formsTheBatchesOfTheSimulator(SchedulerSpec scheduler) {
        EngineShape shape = Shapes.PLAIN;
        ServingSpec spec = Shapes.spec(shape, scheduler, 96);
        Log log = new Log();
        ServingOutcome outcome = ServingSimulator.run(spec, trace(), new Times(), log);
        assertThat(outcome.ending()).isEqualTo(ServingOutcome.Ending.FINISHED);
        assertThat(log.batches).hasSizeGreaterThan(100);
        Virtual clock = new Virtual();
        List<String> formed = new ArrayList<>();
        RequestLoop.StepRunner work = new RequestLoop.StepRunner() {
            private int at;

            @Override
            public void run(StepInput in, int[] next) {
                clock.time += log.nanos.get(at++);
            }

            @Override
            public void ended(Batch batch) {
                formed.add(text(batch));
            }
        };
        PagedCache cache = new ReferenceEngine(shape, 1).cache(spec, trace());
        new RequestLoop(spec, trace(), cache, shape.vocab(), work, new StepClock(clock::now), clock).run();
        assertThat(formed).containsExactlyElementsOf(log.batches);
    }
}
