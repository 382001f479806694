package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class SpreadTest {
    @Test
    void computesSharesOfTheVariance() {
        assertThat(Spread.share(List.of("a", "a", "b", "b"), new double[] {1, 1, 3, 3}))
                .isEqualTo(1);
        assertThat(Spread.share(List.of("a", "b", "a", "b"), new double[] {1, 1, 3, 3}))
                .isZero();
        assertThat(Spread.share(List.of("a", "b"), new double[] {5, 5})).isNaN();
        assertThat(Spread.share(List.of(), new double[] {})).isNaN();
    }

    @Test
    void namesTheBestJobAndTheKeyThatChangesAMetric() throws Exception {
        SweepResult result = SweepWorld.empty()
                .sweep(
                        SweepBytesTest.local(1),
                        List.of(
                                List.of("sum.factor=1", "numbers.count=3"),
                                List.of("sum.factor=1", "numbers.count=4"),
                                List.of("sum.factor=9", "numbers.count=3"),
                                List.of("sum.factor=9", "numbers.count=4")));
        Spread spread = new Spread(result.jobs());
        assertThat(spread.answer()).startsWith("total is ").contains("lowest in #0 (sum.factor=1 numbers.count=3)");
        assertThat(spread.sentences()).singleElement().asString().startsWith("sum.factor explains ");
    }

    @Test
    void omitsMetricsThatDoNotDiffer() throws Exception {
        SweepResult result = SweepWorld.empty()
                .sweep(
                        SweepBytesTest.local(1),
                        List.of(
                                List.of("sum.factor=2", "numbers.count=3"),
                                List.of("sum.factor=2", "numbers.count=3")));
        assertThat(new Spread(result.jobs()).answer()).isEmpty();
        assertThat(new Spread(List.of()).sentences()).isEmpty();
    }
}
