package dev.stagesim.sim.systolic;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.systolic.spec.OperandMemory;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ReplayPortTest {
    private static ReplayPort port(int queue, Integer... latencies) {
        return new ReplayPort(
                new OperandMemory(1, 0, 4, 1, 1, queue, Optional.of(List.of(latencies)), Optional.empty()), 1);
    }

    @Test
    void completesOneRequestPerCycleWithoutRecordedLatencies() {
        ReplayPort port = new ReplayPort(OperandMemory.plain(1, 0, 4, 2), 1);
        assertThat(port.last(10, 4)).isEqualTo(14);
        assertThat(port.earliest()).isEqualTo(11);
        assertThat(port.latest()).isEqualTo(14);
        assertThat(port.completion(2)).isEqualTo(13);
    }

    @Test
    void usesTheFixedLatencyAfterTheRecordedOnes() {
        ReplayPort port = port(32, 5, 3);
        assertThat(port.last(0, 3)).isEqualTo(3);
        assertThat(port.earliest()).isEqualTo(3);
        assertThat(port.latest()).isEqualTo(5);
        assertThat(port.completion(1)).isEqualTo(4);
    }

    @Test
    void delaysRequestsWhenTheQueueIsFull() {
        ReplayPort port = port(2, 10, 10, 10);
        assertThat(port.last(0, 3)).isEqualTo(21);
        assertThat(port.completion(1)).isEqualTo(11);
    }

    @Test
    void ignoresLatenciesAboveTheMaximum() {
        assertThat(port(32, 20_000).last(0, 1)).isEqualTo(1);
    }
}
