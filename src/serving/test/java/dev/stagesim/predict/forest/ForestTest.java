package dev.stagesim.predict.forest;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import java.util.Arrays;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class ForestTest {
    private static Forest grow(TrainingRows rows, ForestSpec spec) {
        return Forest.grow(rows, spec, Forest.drawSeeds(Numpy.SOURCE.seeded(7), spec.trees()), Numpy.SOURCE);
    }

    private static TrainingRows noise(int seed, int rows, int features) {
        Random random = new Random(seed);
        float[][] x = new float[features][rows];
        double[] y = new double[rows];
        for (int i = 0; i < rows; i++) {
            for (float[] column : x) {
                column[i] = random.nextInt(12) * 8;
            }
            y[i] = random.nextDouble();
        }
        return new TrainingRows(x, y);
    }

    private static float[] keys(int n) {
        float[] keys = new float[n];
        for (int i = 0; i < n; i++) {
            keys[i] = 3 * i;
        }
        return keys;
    }

    @Test
    void evaluatesAGridLikeItsPoints() {
        qt().withExamples(40)
                .forAll(
                        integers().between(0, 1 << 20),
                        integers().between(1, 60),
                        integers().between(1, 2))
                .checkAssert((seed, rows, features) -> {
                    Forest forest = grow(noise(seed, rows, features), new ForestSpec(9, 6, 2));
                    float[] first = keys(40);
                    float[] second = features == 1 ? new float[1] : keys(35);
                    Blocks blocks = forest.over(first, second);
                    for (int a = 0; a < first.length; a++) {
                        for (int b = 0; b < second.length; b++) {
                            int row = block(blocks.firstStarts(), a);
                            int column = block(blocks.secondStarts(), b);
                            assertThat(blocks.values()[row * blocks.secondStarts().length + column])
                                    .isEqualTo(forest.at(first[a], second[b]));
                        }
                    }
                });
    }

    private static int block(int[] starts, int key) {
        int found = Arrays.binarySearch(starts, key);
        return found >= 0 ? found : -found - 2;
    }

    @Test
    void predictsWithinTheTargets() {
        qt().withExamples(40)
                .forAll(integers().between(0, 1 << 20), integers().between(1, 80))
                .checkAssert((seed, rows) -> {
                    TrainingRows noise = noise(seed, rows, 2);
                    double[] targets = IntStream.range(0, rows)
                            .mapToDouble(noise::target)
                            .sorted()
                            .toArray();
                    double at = grow(noise, new ForestSpec(5, 4, 2)).at(seed % 100, 50);
                    assertThat(at).isBetween(targets[0] - 1e-12, targets[rows - 1] + 1e-12);
                });
    }

    @Test
    void stopsSplittingByDepthAndMinimumRows() {
        TrainingRows rows = noise(1, 200, 1);
        assertThat(grow(rows, new ForestSpec(1, 1, 2)).trees().get(0).size()).isEqualTo(3);
        assertThat(grow(rows, new ForestSpec(1, 30, 1000)).trees().get(0).size())
                .isEqualTo(1);
        assertThat(grow(rows, new ForestSpec(1, 30, 2)).trees().get(0).size()).isGreaterThan(15);
    }

    @Test
    void createsOneLeafForEqualTargetsOrFeatures() {
        TrainingRows same = new TrainingRows(new float[][] {{1, 2, 3}}, new double[] {4, 4, 4});
        assertThat(grow(same, new ForestSpec(3, 9, 2)).at(2, 0)).isEqualTo(4);
        TrainingRows flat = new TrainingRows(new float[][] {{5, 5, 5}, {6, 6, 6}}, new double[] {1, 2, 3});
        assertThat(grow(flat, new ForestSpec(1, 9, 2)).trees().get(0).size()).isEqualTo(1);
    }

    @Test
    void checksAndSplitsRows() {
        assertThatThrownBy(() -> new TrainingRows(new float[][] {{-1}}, new double[] {1}))
                .hasMessageContaining("-1.0");
        assertThatThrownBy(() -> new TrainingRows(new float[][] {{Float.NaN}}, new double[] {1}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new TrainingRows(new float[][] {{1, 2}}, new double[] {1}))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new ForestSpec(0, 1, 2)).isInstanceOf(IllegalArgumentException.class);
        TrainingRows left = new TrainingRows(new float[][] {{1, 2, 3, 4}}, new double[] {5, 6, 7, 8}).without(1, 3);
        assertThat(left.rows()).isEqualTo(2);
        assertThat(left.feature(0, 1)).isEqualTo(4);
        assertThat(left.target(1)).isEqualTo(8);
    }
}
