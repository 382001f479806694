package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import java.math.BigInteger;
import java.util.Arrays;
import java.util.Random;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.Test;

final class LogHistogramTest {
    private static LogHistogram of(long... values) {
        LogHistogram histogram = new LogHistogram();
        Arrays.stream(values).forEach(histogram::add);
        return histogram;
    }

    /** Numbers of all magnitudes, many of them equal or next to a power of two. */
    private static long[] values(Random random) {
        long[] values = new long[1 + random.nextInt(3000)];
        for (int i = 0; i < values.length; i++) {
            long value = random.nextLong() >>> (1 + random.nextInt(62));
            values[i] = switch (random.nextInt(4)) {
                case 0 -> Math.max(0, Long.highestOneBit(value) - random.nextInt(2));
                case 1 -> value & 7;
                default -> value;
            };
        }
        return values;
    }

    @Test
    void boundsTheErrorOfEveryRank() {
        Random random = new Random(5);
        for (int round = 0; round < 200; round++) {
            long[] values = values(random);
            LogHistogram histogram = of(values);
            Arrays.sort(values);
            for (int thousandths : new int[] {1, 10, 500, 900, 950, 990, 999, 1000}) {
                long rank = (values.length * (long) thousandths + 999) / 1000;
                long expected = values[(int) rank - 1];
                long reported = histogram.quantile(thousandths);
                assertThat(Math.abs(reported - expected)).isLessThanOrEqualTo(expected / 2048);
            }
            assertThat(histogram.min()).isEqualTo(values[0]);
            assertThat(histogram.max()).isEqualTo(values[values.length - 1]);
            BigInteger sum =
                    Arrays.stream(values).mapToObj(BigInteger::valueOf).reduce(BigInteger.ZERO, BigInteger::add);
            BigInteger count = BigInteger.valueOf(values.length);
            BigInteger halvesUp = sum.shiftLeft(1).add(count).divide(count.shiftLeft(1));
            assertThat(histogram.mean()).isEqualTo(halvesUp.longValueExact());
        }
    }

    @Test
    void countsSmallNumbersExactly() {
        LogHistogram histogram = new LogHistogram();
        for (long value = 0; value < 2048; value++) {
            histogram.add(value);
        }
        for (int thousandths = 1; thousandths <= 1000; thousandths++) {
            assertThat(histogram.quantile(thousandths)).isEqualTo((2048L * thousandths + 999) / 1000 - 1);
        }
    }

    @Test
    void mergesPartsInAnyOrder() {
        Random random = new Random(6);
        for (int round = 0; round < 100; round++) {
            long[] values = values(random);
            LogHistogram whole = of(values);
            LogHistogram[] parts = {new LogHistogram(), new LogHistogram(), new LogHistogram(), new LogHistogram()};
            for (int i = values.length - 1; i >= 0; i--) {
                parts[random.nextInt(3)].add(values[i]);
            }
            LogHistogram merged = parts[3];
            for (int i : new int[] {2, 0, 1}) {
                merged.merge(LogHistogram.parse(parts[i].text()));
            }
            assertThat(merged.text()).isEqualTo(whole.text());
            assertThat(merged.mean()).isEqualTo(whole.mean());
        }
    }

    @Test
    void returnsZeroWhenEmptyAndRejectsInvalidText() {
        LogHistogram none = new LogHistogram();
        assertThat(none.quantile(500) + none.min() + none.max() + none.mean()).isZero();
        assertThat(LogHistogram.parse(none.text()).text()).isEqualTo(none.text());
        assertThatThrownBy(() -> none.add(-1)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> none.quantile(0)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LogHistogram.parse("1 2")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LogHistogram.parse("1 2 3 4 5 6")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> none.addBucket(2048, 2050, 1)).isInstanceOf(IllegalArgumentException.class);
    }

    /** Rebuilds a histogram from its buckets, and compares the mean of the bucket centres. */
    @Test
    void listsBucketsOfAllNumbers() {
        Random random = new Random(7);
        for (int round = 0; round < 50; round++) {
            long[] values = Arrays.stream(values(random))
                    .map(value -> Math.max(5, value))
                    .toArray();
            LogHistogram again = new LogHistogram();
            AtomicLong before = new AtomicLong(-1);
            AtomicReference<BigInteger> sum = new AtomicReference<>(BigInteger.ZERO);
            of(values).buckets((from, to, times) -> {
                assertThat(from).isGreaterThan(before.get()).isLessThanOrEqualTo(to);
                assertThat(times)
                        .isEqualTo(Arrays.stream(values)
                                .filter(value -> value >= from && value <= to)
                                .count());
                before.set(to);
                again.addBucket(from, to, times);
                BigInteger middle = BigInteger.valueOf(from + (to - from) / 2);
                sum.updateAndGet(all -> all.add(middle.multiply(BigInteger.valueOf(times))));
            });
            BigInteger count = BigInteger.valueOf(values.length);
            assertThat(again.count()).isEqualTo(values.length);
            assertThat(again.min()).isEqualTo(Arrays.stream(values).min().orElseThrow());
            assertThat(again.max()).isEqualTo(Arrays.stream(values).max().orElseThrow());
            assertThat(again.mean())
                    .isEqualTo(sum.get()
                            .shiftLeft(1)
                            .add(count)
                            .divide(count.shiftLeft(1))
                            .longValueExact());
        }
    }

    @Test
    void samplesAtEqualRankIntervals() {
        Random random = new Random(8);
        for (int stride : new int[] {1, 2, 7, 1000, 5000}) {
            long[] values = values(random);
            double[] sample = of(values).sample(stride);
            Arrays.sort(values);
            assertThat(sample).hasSize((values.length + stride - 1) / stride);
            for (int i = 0; i < sample.length; i++) {
                double expected = values[i * stride];
                assertThat(sample[i]).isCloseTo(expected, within(expected / 2047));
            }
        }
    }

    @Test
    void computesSumsBeyondALongExactly() {
        LogHistogram histogram = new LogHistogram();
        histogram.add(Long.MAX_VALUE, 5);
        histogram.add(0, 5);
        assertThat(histogram.mean()).isEqualTo(Long.MAX_VALUE / 2 + 1);
    }
}
