package dev.stagesim.sim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.List;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LatencySketchTest {
    @Test
    void quantilesAreWithinATenthOfAPercent() {
        qt().forAll(lists().of(doubles().between(1e-6, 1e4)).ofSizeBetween(1, 60))
                .checkAssert(values -> {
                    LatencySketch sketch = new LatencySketch();
                    values.forEach(sketch::add);
                    List<Double> sorted = values.stream().sorted().toList();
                    for (int i = 0; i <= 10; i++) {
                        int rank = (int) Math.floor(i / 10.0 * (values.size() - 1));
                        assertThat(sketch.quantile(i / 10.0))
                                .isCloseTo(sorted.get(rank), Percentage.withPercentage(0.1001));
                    }
                });
    }

    @Test
    void zerosAreCountedApart() {
        LatencySketch sketch = new LatencySketch();
        sketch.add(0);
        sketch.add(0);
        sketch.add(5);
        assertThat(sketch.quantile(0.5)).isZero();
        assertThat(sketch.quantile(1)).isCloseTo(5, Percentage.withPercentage(0.1));
        assertThat(sketch.count()).isEqualTo(3);
    }

    @Test
    void bucketValuesAreThoseOfTheReference() {
        LatencySketch sketch = new LatencySketch();
        sketch.add(0.00942);
        assertThat(sketch.quantile(0.5)).isEqualTo(0.00941922886696375);
    }
}
