package dev.stagesim.sim.serving;

import static dev.stagesim.sim.serving.ServingFixtures.request;
import static dev.stagesim.sim.serving.ServingFixtures.trace;
import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.Optional;
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
                quirks);
        ServingFixtures.Log log = new ServingFixtures.Log();
        ServingSimulator.run(spec, trace, ServingFixtures.flat(), log);
        return log.assigned;
    }

    private static final RequestTrace SPACED =
            trace(request(0, 8, 50), request(0.001, 8, 50), request(0.002, 8, 50), request(0.003, 8, 50));

    @Test
    void roundRobinGoesOnWhereItWas() {
        assertThat(assigned(GlobalPolicy.ROUND_ROBIN, true, SPACED)).containsExactly(0, 1, 2, 0);
    }

    @Test
    void leastOutstandingCountsRunningRequestsOnlyWithoutQuirks() {
        assertThat(assigned(GlobalPolicy.LOR, true, SPACED)).containsExactly(0, 0, 0, 0);
        assertThat(assigned(GlobalPolicy.LOR, false, SPACED)).containsExactly(0, 1, 2, 0);
    }

    @Test
    void randomFollowsTheReferenceGenerator() {
        // random.seed(42); [random.randint(1, 3) - 1 for _ in range(4)]
        assertThat(assigned(GlobalPolicy.RANDOM, true, SPACED)).containsExactly(2, 0, 0, 2);
    }
}
