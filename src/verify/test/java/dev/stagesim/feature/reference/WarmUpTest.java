package dev.stagesim.feature.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Collections;
import java.util.List;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;

class WarmUpTest {
    private static final long MS = 1_000_000;

    private static List<Long> times(long... ms) {
        return LongStream.of(ms).map(t -> t * MS).boxed().toList();
    }

    @Test
    void settlesWhenTimesAreEqual() {
        assertThat(WarmUp.settled(Collections.nCopies(2 * WarmUp.WINDOW, 5 * MS)))
                .isTrue();
        assertThat(WarmUp.settled(Collections.nCopies(2 * WarmUp.WINDOW - 1, 5 * MS)))
                .isFalse();
    }

    @Test
    void doesNotSettleWhenTimesDecrease() {
        assertThat(WarmUp.settled(times(100, 90, 80, 70, 60, 50, 49, 48, 47, 46, 45, 44)))
                .isFalse();
        assertThat(WarmUp.settled(times(100, 90, 80, 70, 60, 50, 90, 80, 49, 77, 90, 60)))
                .isTrue();
    }

    @Test
    void runsBetweenMinimumAndMaximumTime() {
        long[] now = {0};
        ReferenceEngine.WarmedUp steady = WarmUp.run(() -> now[0] += 10 * MS, 1000 * MS, () -> now[0]);
        assertThat(steady).isEqualTo(new ReferenceEngine.WarmedUp(100, 1000 * MS, true));
        long[] falling = {0, 1_000_000 * MS};
        Runnable step = () -> {
            falling[1] = falling[1] * 9 / 10;
            falling[0] += falling[1];
        };
        ReferenceEngine.WarmedUp cut = WarmUp.run(step, MS, () -> falling[0]);
        assertThat(cut.settled()).isFalse();
        assertThat(cut.ns()).isGreaterThanOrEqualTo(WarmUp.MAX_NS);
    }
}
