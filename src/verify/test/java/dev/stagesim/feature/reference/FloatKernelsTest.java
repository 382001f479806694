package dev.stagesim.feature.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class FloatKernelsTest {
    private static float[][] random(int rows, int width, long seed) {
        SplittableRandom random = new SplittableRandom(seed);
        float[][] out = new float[rows][width];
        for (float[] row : out) {
            for (int i = 0; i < width; i++) {
                row[i] = (float) (random.nextDouble() - 0.5);
            }
        }
        return out;
    }

    @Test
    void multipliesMatricesOfAnySize() {
        qt().withExamples(60)
                .forAll(
                        integers().between(1, 9),
                        integers().between(1, 23),
                        integers().between(1, 40))
                .checkAssert((rows, depth, width) -> {
                    float[][] x = random(rows, depth, 1);
                    float[][] w = random(depth, width, 2);
                    float[][] out = random(rows, width, 3);
                    FloatKernels.multiply(x, rows, w, width, out);
                    for (int t = 0; t < rows; t++) {
                        for (int j = 0; j < width; j++) {
                            double sum = 0;
                            for (int k = 0; k < depth; k++) {
                                sum += (double) x[t][k] * w[k][j];
                            }
                            assertThat((double) out[t][j]).isCloseTo(sum, within(1e-5));
                        }
                    }
                });
    }

    @Test
    void computesRowsIndependently() {
        float[][] x = random(7, 30, 4);
        float[][] w = random(30, 41, 5);
        float[][] together = new float[7][41];
        FloatKernels.multiply(x, 7, w, 41, together);
        for (int t = 0; t < 7; t++) {
            float[][] alone = new float[1][41];
            FloatKernels.multiply(new float[][] {x[t]}, 1, w, 41, alone);
            assertThat(alone[0]).containsExactly(together[t]);
        }
    }

    @Test
    void normalisesSoftmaxOfAnySize() {
        float[] scores = {1000, 999, -1000, 5};
        FloatKernels.softmax(scores, 3);
        assertThat(scores[0] + scores[1] + scores[2]).isCloseTo(1, within(1e-6f));
        assertThat(scores[0] / scores[1]).isCloseTo((float) Math.E, within(1e-5f));
        assertThat(scores[3]).isEqualTo(5);
    }

    @Test
    void returnsLowestIndexWhenMaximaAreEqual() {
        assertThat(FloatKernels.argmax(new float[] {1, 3, 3, 9}, 3)).isEqualTo(1);
    }
}
