package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

final class RadixSortTest {
    private final SplittableRandom random = new SplittableRandom(5);

    private void check(int length, DoubleSupplier value) {
        double[] values = DoubleStream.generate(value).limit(length).toArray();
        double[] given = values.clone();
        double[] expected = values.clone();
        Arrays.sort(expected);
        assertThat(bits(RadixSort.sorted(values))).isEqualTo(bits(expected));
        assertThat(bits(values)).isEqualTo(bits(given));
    }

    private static long[] bits(double[] values) {
        return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
    }

    @Test
    void sortsValuesOfAnySignAndSize() {
        check(20_000, () -> Double.longBitsToDouble(random.nextLong() & ~(1L << 62)));
        check(20_000, () -> random.nextDouble() * 1e4);
        check(20_000, () -> random.nextInt(100) - 50);
        double[] special = {0.0, -0.0, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, -1, 1};
        check(20_000, () -> special[random.nextInt(special.length)]);
    }

    @Test
    void sortsNaNLastWithEitherSign() {
        check(20_000, () -> random.nextInt(3) == 0 ? Double.NaN : random.nextDouble() - 0.5);
        double[] values =
                DoubleStream.generate(random::nextDouble).limit(20_000).toArray();
        values[7] = Double.longBitsToDouble(Double.doubleToRawLongBits(Double.NaN) | Long.MIN_VALUE);
        assertThat(RadixSort.sorted(values)[values.length - 1]).isNaN();
    }

    @Test
    void sortsFewAndEqualValues() {
        check(20_000, () -> random.nextInt(3));
        check(100, random::nextDouble);
        check(0, random::nextDouble);
        check(20_000, () -> 7);
    }
}
