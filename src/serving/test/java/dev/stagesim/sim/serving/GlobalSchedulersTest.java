package dev.stagesim.sim.serving;

import static dev.stagesim.sim.serving.ServingFixtures.request;
import static dev.stagesim.sim.serving.ServingFixtures.trace;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.ClusterSpec;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.TimingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class GlobalSchedulersTest {
    private static List<Integer> assigned(GlobalPolicy policy, boolean quirks, RequestTrace trace) {
        ServingSpec spec = new ServingSpec(
                ServingFixtures.ONE_LAYER,
                Optional.empty(),
                new ClusterSpec(3, 1, 1, 80, 312, 0.1, policy, 42),
                ServingFixtures.vllm(8, 16, 100),
                TimingSpec.DEFAULT,
                4096,
                0,
                quirks ? VidurQuirk.VIDUR : VidurQuirk.NONE);
        ServingFixtures.Log log = new ServingFixtures.Log();
        ServingSimulator.run(spec, trace, ServingFixtures.flat(), log);
        return log.assigned;
    }

    private static final RequestTrace SPACED =
            trace(request(0, 8, 50), request(0.001, 8, 50), request(0.002, 8, 50), request(0.003, 8, 50));

    @Test
    void continuesRoundRobinAfterEachRequest() {
        assertThat(assigned(GlobalPolicy.ROUND_ROBIN, true, SPACED)).containsExactly(0, 1, 2, 0);
    }

    @Test
    void countsRunningRequestsExceptInReferenceMode() {
        assertThat(assigned(GlobalPolicy.LOR, true, SPACED)).containsExactly(0, 0, 0, 0);
        assertThat(assigned(GlobalPolicy.LOR, false, SPACED)).containsExactly(0, 1, 2, 0);
    }

    @Test
    void drawsLikeTheReferenceGenerator() {
        // random.seed(42); [random.randint(1, 3) - 1 for _ in range(4)]
        assertThat(assigned(GlobalPolicy.RANDOM, true, SPACED)).containsExactly(2, 0, 0, 2);
    }

    /** Compares each choice with a count of the requests on all replicas. */
    private static final class Counts implements ServingRecorder {
        private final int[] outstanding;
        private final int[] replicaOf;
        private int afterCompletions;

        Counts(int replicas, int requests) {
            outstanding = new int[replicas];
            replicaOf = new int[requests];
        }

        @Override
        public Set<Signal> signals() {
            return EnumSet.noneOf(Signal.class);
        }

        @Override
        public void requestAssigned(int request, int replica, double time) {
            int min = 0;
            for (int i = 1; i < outstanding.length; i++) {
                min = outstanding[i] < outstanding[min] ? i : min;
            }
            assertThat(replica).isEqualTo(min);
            afterCompletions += Arrays.stream(outstanding).sum() < request ? 1 : 0;
            outstanding[replica]++;
            replicaOf[request] = replica;
        }

        @Override
        public void requestCompleted(int request, double time, RequestStates states) {
            outstanding[replicaOf[request]]--;
        }
    }

    @Test
    void choosesTheFirstReplicaWithMinimumLoad() {
        compareRouting(10);
    }

    @Test
    @Tag("long")
    void choosesTheFirstReplicaWithMinimumLoadInManyRuns() {
        compareRouting(120);
    }

    private static void compareRouting(int seeds) {
        int reported = 0;
        for (int seed = 0; seed < seeds; seed++) {
            SplittableRandom random = new SplittableRandom(seed);
            RequestTrace trace = PlainSimulatorTest.trace(random);
            int replicas = 1 + random.nextInt(9);
            SchedulerSpec.Limits limits = ServingFixtures.limits(1 + random.nextInt(8), 4, 0, 200);
            SchedulerSpec scheduler = random.nextBoolean()
                    ? new SchedulerSpec.Sarathi(limits, 32)
                    : VllmFixtures.engine(
                            VllmFixtures.settings(
                                    limits.batchSizeCap(),
                                    64,
                                    Map.of(
                                            "reserveFullSequence",
                                            false,
                                            "version",
                                            new VllmSettings.Version(VllmRules.NEWEST, 1))),
                            200,
                            Map.of("blockSize", 4));
            ServingSpec spec = new ServingSpec(
                    ServingFixtures.ONE_LAYER,
                    Optional.empty(),
                    new ClusterSpec(replicas, 1, 1, 80, 312, 0.1, GlobalPolicy.LOR, 0),
                    scheduler,
                    TimingSpec.DEFAULT.withRequestSeconds(random.nextInt(2) * 0.004),
                    4096,
                    0,
                    VidurQuirk.NONE);
            Counts counts = new Counts(replicas, trace.size());
            ServingSimulator.run(spec, trace, ServingFixtures.flat(), counts);
            reported += counts.afterCompletions;
        }
        assertThat(reported).isGreaterThan(4 * seeds);
    }
}
