package dev.stagesim.predict.forest;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class PercentageErrorTest {
    @Test
    void comparesAMeasuredZeroExactly() {
        assertThat(PercentageError.of(new double[] {0, 0, 2, 4}, new double[] {0, 1, 1, 5}))
                .isEqualTo((0 + 100 + 50 + 25) / 4.0);
    }

    @Test
    void roundsMeansLikeNumpy() {
        double[] values = IntStream.range(0, 1000)
                .mapToDouble(i -> 0.1 * (i * i % 97) + 1 / (i + 3.0))
                .toArray();
        assertThat(PercentageError.mean(values)).isEqualTo(4.789987467865542);
        assertThat(PercentageError.mean(Arrays.copyOf(values, 5))).isEqualTo(0.8185714285714287);
        assertThat(PercentageError.mean(Arrays.copyOf(values, 100))).isEqualTo(4.698070824293072);
        assertThat(PercentageError.mean(Arrays.copyOf(values, 129))).isEqualTo(4.721366084698079);
    }
}
