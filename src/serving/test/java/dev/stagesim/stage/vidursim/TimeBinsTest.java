package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Random;
import org.junit.jupiter.api.Test;

class TimeBinsTest {
    @Test
    void keepsSumsAndMaximaWhenFolding() {
        TimeBins bins = new TimeBins(100);
        for (int i = 0; i < 100_000; i++) {
            bins.add(100 + i * 0.01, i == 777 ? 5 : 1);
        }
        assertThat(bins.size()).isBetween(TimeBins.MAX / 2, TimeBins.MAX);
        assertThat(bins.total()).isCloseTo(100_004, within(1e-6));
        double max = 0;
        for (int bin = 0; bin < bins.size(); bin++) {
            max = Math.max(max, bins.greatest(bin));
            assertThat(bins.mean(bin)).isBetween(1.0, 1.1);
        }
        assertThat(max).isEqualTo(5);
    }

    @Test
    void dividesSpansExactly() {
        TimeBins bins = new TimeBins(0);
        double sum = 0;
        for (int i = 0; i < 5000; i++) {
            bins.addSpan(i * 0.1, i * 0.1 + 0.05);
            sum += 0.05;
        }
        assertThat(bins.total()).isCloseTo(sum, within(1e-6));
        assertThat(bins.share(bins.size() / 2)).isCloseTo(0.5, within(0.05));
    }

    @Test
    void addsSpansWithinABin() {
        Random random = new Random(12);
        for (int round = 0; round < 100; round++) {
            TimeBins bins = new TimeBins(3);
            TimeBins plain = new TimeBins(3);
            double from = 3;
            for (int i = 0; i < 1000; i++) {
                double to = from + (random.nextInt(5) == 0 ? 0 : random.nextDouble() * 0.1);
                bins.addSpan(from, to);
                plain.reach(to);
                plain.reach(3); // Resets the cached bin, so that the next bin is not the cached one.
                plain.addSpan(from, to);
                from = random.nextInt(4) == 0 ? Math.max(to, 3 + bins.from(bins.size())) : to;
            }
            for (int bin = 0; bin < bins.size(); bin++) {
                assertThat(bins.sum(bin)).isEqualTo(plain.sum(bin));
            }
        }
    }

    @Test
    void matchesBinsOfADivision() {
        Random random = new Random(11);
        for (int round = 0; round < 200; round++) {
            double start = round % 3 == 0 ? 0 : Math.pow(10, random.nextInt(9)) * random.nextDouble();
            double step = Math.pow(10, random.nextInt(6) - 4);
            TimeBins bins = new TimeBins(start);
            double[] times = new double[1 + random.nextInt(2000)];
            double time = start;
            for (int i = 0; i < times.length; i++) {
                times[i] = time;
                bins.add(time, i);
                // Some times are at the edges of bins.
                time = random.nextInt(4) == 0 ? start + bins.from(bins.size()) : time + step * random.nextDouble();
                time = Math.max(time, times[i]);
            }
            double[] sums = new double[bins.size()];
            for (int i = 0; i < times.length; i++) {
                sums[(int) ((times[i] - start) / bins.from(1))] += i;
            }
            for (int bin = 0; bin < sums.length; bin++) {
                assertThat(bins.sum(bin)).isEqualTo(sums[bin]);
            }
        }
    }

    @Test
    void acceptsASingleSampleAtTheStart() {
        TimeBins bins = new TimeBins(3);
        bins.add(3, 4);
        assertThat(bins.size()).isEqualTo(1);
        assertThat(bins.mean(0)).isEqualTo(4);
        assertThat(bins.from(0)).isZero();
    }
}
