package dev.stagesim.sim.serving.metrics;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.assertj.core.data.Percentage;
import org.junit.jupiter.api.Test;

class LatencySketchTest {
    @Test
    void computesQuantilesWithinATenthOfAPercent() {
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
    void computesTheExactKey() {
        LatencySketch sketch = new LatencySketch();
        Random random = new Random(3);
        double gamma = 1.001 / 0.999;
        for (int i = 0; i < 200_000; i++) {
            double value = Math.exp(40 * random.nextDouble() - 25);
            assertThat(sketch.keyOf(value)).isEqualTo(sketch.exactKeyOf(value));
        }
        for (int key = -9000; key < 9000; key += 7) {
            double bound = StrictMath.pow(gamma, key); // Values at a bucket bound, which depend on rounding.
            for (double value : new double[] {Math.nextDown(bound), bound, Math.nextUp(bound), bound * (1 + 1e-9)}) {
                assertThat(sketch.keyOf(value)).isEqualTo(sketch.exactKeyOf(value));
            }
        }
        assertThat(sketch.keyOf(Double.MIN_VALUE)).isEqualTo(sketch.exactKeyOf(Double.MIN_VALUE));
        assertThat(sketch.keyOf(Double.MAX_VALUE)).isEqualTo(sketch.exactKeyOf(Double.MAX_VALUE));
    }

    @Test
    void countsRepeatedValuesInTheirBuckets() {
        Random random = new Random(5);
        for (int round = 0; round < 50; round++) {
            double bound = StrictMath.pow(1.001 / 0.999, random.nextInt(4000) - 3000);
            double[] values = new double[400];
            LatencySketch sketch = new LatencySketch();
            for (int i = 0; i < values.length; i++) {
                values[i] = bound * (1 + (random.nextDouble() - 0.5) * Math.pow(10, -1 - random.nextInt(12)));
                sketch.add(values[i]);
            }
            double[] alone = Arrays.stream(values)
                    .map(value -> {
                        LatencySketch one = new LatencySketch();
                        one.add(value);
                        return one.quantile(0);
                    })
                    .sorted()
                    .toArray();
            for (int i = 0; i + 1 < values.length; i++) {
                assertThat(sketch.quantile((i + 0.5) / (values.length - 1))).isEqualTo(alone[i]);
            }
        }
    }

    @Test
    void countsZerosSeparately() {
        LatencySketch sketch = new LatencySketch();
        sketch.add(0);
        sketch.add(0);
        sketch.add(5);
        assertThat(sketch.quantile(0.5)).isZero();
        assertThat(sketch.quantile(1)).isCloseTo(5, Percentage.withPercentage(0.1));
        assertThat(sketch.count()).isEqualTo(3);
    }

    @Test
    void returnsTheBucketValuesOfTheReference() {
        LatencySketch sketch = new LatencySketch();
        sketch.add(0.00942);
        assertThat(sketch.quantile(0.5)).isEqualTo(0.00941922886696375);
    }
}
