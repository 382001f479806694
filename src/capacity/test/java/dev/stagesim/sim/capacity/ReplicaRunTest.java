package dev.stagesim.sim.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.measure.Defaults;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineSchedulers;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.capacity.ReplicaRun.Service;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ReplicaRunTest {
    private static ReplicaModel copy(String model, int tp, int batch) {
        HardwareCard device = CardFiles.hardware("a100");
        SchedulerSettings scheduler = new SchedulerSpec.Sarathi(new SchedulerSpec.Limits(batch, 16, 0.01, 0), 512);
        return ReplicaModel.computed(
                CardFiles.model(model),
                device,
                Defaults.noEngine(),
                scheduler,
                EngineSchedulers.cluster(tp, 1, Optional.empty()),
                320);
    }

    @Test
    void raisesCapacityWithTheBatchAndIsFastestForOneRequest() {
        double few = saturated(8).requestsPerSecond();
        double many = saturated(64).requestsPerSecond();
        assertThat(many).isGreaterThan(3 * few);
        Service alone = serve(new double[] {0});
        Service crowd = saturated(64);
        assertThat(alone.p99TpotMs()).isLessThan(crowd.p50TpotMs());
        // every token reads the weights without the embedding once, 16 GB at 82 % of 2039 GB/s; kernels have minimum
        // times
        assertThat(alone.p50TpotMs()).isCloseTo(2 * 8.03e9 / (0.82 * 2039e9) * 1e3, within(1.0));
    }

    @Test
    void raisesLatencyWithTheRate() {
        PhaseRequests slow = PhaseRequests.draw(List.of(new PhaseRequests.Load(1, 1, 256, 64)), 60, 0, 3);
        PhaseRequests fast = PhaseRequests.draw(List.of(new PhaseRequests.Load(40, 1, 256, 64)), 60, 0, 3);
        assertThat(serve(fast).p99TtftMs()).isGreaterThan(serve(slow).p99TtftMs());
        assertThat(serve(fast).p99TpotMs()).isGreaterThan(serve(slow).p99TpotMs());
    }

    private static Service serve(PhaseRequests requests) {
        double[] seconds = new double[requests.size()];
        java.util.Arrays.setAll(seconds, i -> requests.arrivalNs()[i] / 1e9);
        return serve(seconds);
    }

    private static Service saturated(int batch) {
        ReplicaModel copy = copy("llama3_8b", 1, batch);
        return ReplicaRun.saturated(copy.spec(), copy.times(), 256, 64);
    }

    private static Service serve(double[] seconds) {
        ReplicaModel copy = copy("llama3_8b", 1, 64);
        return ReplicaRun.serve(copy.spec(), copy.times(), seconds, 256, 64);
    }

    @Test
    void simulatesPhasesIndependently() {
        PhaseRequests.Load load = new PhaseRequests.Load(5, 1, 10, 10);
        PhaseRequests one = PhaseRequests.draw(List.of(load), 20, 100, 9);
        PhaseRequests two = PhaseRequests.draw(List.of(load, new PhaseRequests.Load(50, 2, 5, 5)), 20, 100, 9);
        assertThat(two.first()).containsExactly(0, 20, 40);
        assertThat(java.util.Arrays.copyOf(two.arrivalNs(), 20)).isEqualTo(one.arrivalNs());
        assertThat(two.arrivalNs()[20] - two.arrivalNs()[19]).isGreaterThan(100_000_000_000L);
        assertThat(two.arrivalNs()).isSorted();
    }
}
