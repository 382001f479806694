package dev.stagesim.sim.capacity;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.trace.generate.TrainingOptions;
import org.junit.jupiter.api.Test;

class TrainingRunTest {
    private static final ModelCard MODEL = CardFiles.model("llama3_2_1b");

    private static TrainingSpec spec(int tp, int pp, int dp, int sequences, double nodeGbs, int perNode) {
        return new TrainingSpec(
                MODEL,
                tp,
                pp,
                dp,
                pp > 1 ? 4 : 1,
                sequences,
                256,
                new TrainingOptions.Device(100e6, 2000e3),
                new TrainingSpec.Links(perNode, nodeGbs, 10, 250, 1000));
    }

    private static long ns(TrainingSpec spec) {
        return TrainingRun.of(spec).ns();
    }

    @Test
    void exchangesNothingOnOneDevice() {
        TrainingRun.Step step = TrainingRun.of(spec(1, 1, 1, 2, 100, 8));
        assertThat(step.ns()).isPositive();
        assertThat(step.exposedNs()).isZero();
        assertThat(ns(spec(1, 1, 1, 4, 100, 8))).isGreaterThan(step.ns());
    }

    @Test
    void takesLongerWhenLinksAreSlower() {
        long fast = ns(spec(2, 1, 4, 2, 400, 8));
        long slow = ns(spec(2, 1, 4, 2, 20, 8));
        long separate = ns(spec(2, 1, 4, 2, 400, 4));
        assertThat(slow).isGreaterThan(fast);
        assertThat(separate).isGreaterThan(fast);
        assertThat(ns(spec(2, 2, 2, 1, 400, 8))).isPositive();
    }

    @Test
    void usesTheMaximumDegreeThatDividesTheDevices() {
        TrainingSpec six = spec(1, 1, 6, 1, 100, 4);
        assertThat(six.inNode()).isEqualTo(3);
        assertThat(six.nodes()).isEqualTo(2);
        assertThat(spec(1, 1, 7, 1, 100, 4).inNode()).isEqualTo(1);
        assertThat(ns(spec(1, 1, 7, 1, 100, 4))).isPositive();
    }
}
