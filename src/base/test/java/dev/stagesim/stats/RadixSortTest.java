package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.DoubleSupplier;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

final class RadixSortTest {
    private final SplittableRandom random = new SplittableRandom(5);

    private void check(int length, int count, DoubleSupplier value) {
        double[] values = DoubleStream.generate(value).limit(length).toArray();
        double[] expected = Arrays.copyOf(values, count);
        Arrays.sort(expected);
        assertThat(bits(RadixSort.sorted(values, count))).isEqualTo(bits(expected));
    }

    private static long[] bits(double[] values) {
        return Arrays.stream(values).mapToLong(Double::doubleToRawLongBits).toArray();
    }

    @Test
    void sortsValuesOfAnySignAndSize() {
        check(20_000, 20_000, () -> Double.longBitsToDouble(random.nextLong() & ~(1L << 62)));
        check(20_000, 20_000, () -> random.nextDouble() * 1e4);
        check(20_000, 20_000, () -> random.nextInt(100) - 50);
        double[] special = {0.0, -0.0, Double.POSITIVE_INFINITY, Double.NEGATIVE_INFINITY, Double.MIN_VALUE, -1, 1};
        check(20_000, 20_000, () -> special[random.nextInt(special.length)]);
    }

    @Test
    void sortsTheFirstValuesOnly() {
        check(20_000, 10_000, random::nextDouble);
        check(20_000, 10_000, () -> random.nextInt(3));
        check(100, 99, random::nextDouble);
        check(20_000, 0, random::nextDouble);
        check(20_000, 20_000, () -> 7);
    }
}
