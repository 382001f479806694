package dev.stagesim.feature.cluster.autoscaler;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.core.RandomStream;
import java.util.Arrays;
import org.junit.jupiter.api.Test;

/** Compares forecasts with simple second implementations and worked examples. */
final class ForecastTest {
    private static double next(Forecast forecast, double... values) {
        for (double value : values) {
            forecast.add(value);
        }
        return forecast.next();
    }

    private static double normal(RandomStream random) {
        return Math.sqrt(-2 * Math.log(1 - random.nextDouble())) * Math.cos(2 * Math.PI * random.nextDouble());
    }

    /** The filter written out with matrices: x = F x, P = F P F' + Q; K = P H' / (H P H' + R), x += K (z - H x), P = (I - K H) P. */
    @Test
    void matchesTheMatrixFormOfTheKalmanFilter() {
        double[][] f = {{1, 1}, {0, 1}};
        for (int seed = 0; seed < 50; seed++) {
            RandomStream random = RandomStream.of(seed, "series");
            double[] q = {0.01 + random.nextDouble() * 5, random.nextDouble()};
            double r = 0.1 + 20 * random.nextDouble();
            Forecast forecast = Forecast.kalman(q[0], q[1], r);
            double[] x = null;
            double[][] p = {{1000, 0}, {0, 1000}};
            for (int step = 0; step < 60; step++) {
                double z = 100 + 3 * step + 20 * normal(random);
                forecast.add(z);
                if (x == null) {
                    x = new double[] {z, 0};
                } else {
                    x = new double[] {x[0] + x[1], x[1]};
                    p = times(times(f, p), new double[][] {{1, 0}, {1, 1}});
                    p[0][0] += q[0];
                    p[1][1] += q[1];
                    double[] gain = {p[0][0] / (p[0][0] + r), p[1][0] / (p[0][0] + r)};
                    double off = z - x[0];
                    x = new double[] {x[0] + gain[0] * off, x[1] + gain[1] * off};
                    p = times(new double[][] {{1 - gain[0], 0}, {-gain[1], 1}}, p);
                }
                assertThat(forecast.next()).isCloseTo(Math.max(0, x[0] + x[1]), within(1e-6));
            }
        }
    }

    private static double[][] times(double[][] a, double[][] b) {
        double[][] product = new double[2][2];
        for (int i = 0; i < 2; i++) {
            for (int j = 0; j < 2; j++) {
                product[i][j] = a[i][0] * b[0][j] + a[i][1] * b[1][j];
            }
        }
        return product;
    }

    @Test
    void initialisesTheKalmanFilterLikeDynamo() {
        assertThat(next(Forecast.kalman(1, 0.1, 10), 100)).isEqualTo(100);
        // The prediction is 100 with variances 2001, 1000 and 1000.1; the gain is 2001 / 2011.
        double gain = 2001 / 2011.0;
        assertThat(next(Forecast.kalman(1, 0.1, 10), 100, 120))
                .isCloseTo(100 + 20 * gain + 20 * 1000 / 2011.0, within(1e-9));
        assertThat(next(Forecast.kalman(1, 0.1, 10), 100, 1, 0)).isZero();
    }

    @Test
    void continuesALineWithArimaFromFivePoints() {
        assertThat(next(new Arima())).isZero();
        assertThat(next(new Arima(), 3, 9, 4, 8)).isEqualTo(8);
        assertThat(next(new Arima(), 7, 7, 7, 7, 7, 7)).isEqualTo(7);
        double[] line = new double[40];
        for (int i = 0; i < line.length; i++) {
            line[i] = 10 + 5 * i;
        }
        // The differences are constant, so the differences of the logarithms are used, which grow slightly faster.
        assertThat(next(new Arima(), line)).isCloseTo(210, within(0.02));
    }

    /** Values outside the window have no effect, and repeated calls return the same value. */
    @Test
    void limitsArimaToAWindow() {
        RandomStream random = RandomStream.of(3, "window");
        double[] values = new double[3 * Arima.WINDOW];
        Arima all = new Arima();
        for (int i = 0; i < values.length; i++) {
            values[i] = 300 + i % 7 * 20 + 10 * normal(random);
            all.add(values[i]);
            if (i % 50 == 49) {
                double[] last = Arrays.copyOfRange(values, Math.max(0, i + 1 - Arima.WINDOW), i + 1);
                assertThat(all.next()).isEqualTo(next(new Arima(), last)).isEqualTo(all.next());
            }
        }
    }

    @Test
    void computesTheStationarityTestByItsDefinition() {
        for (int seed = 0; seed < 200; seed++) {
            RandomStream random = RandomStream.of(seed, "level");
            double[] y = new double[5 + (int) random.below(100)];
            double walk = 0;
            for (int i = 0; i < y.length; i++) {
                walk += normal(random);
                y[i] = seed % 2 == 0 ? walk : normal(random);
            }
            assertThat(Arima.isLevel(y)).isEqualTo(kpss(y) <= 0.463);
        }
    }

    private static double kpss(double[] y) {
        int n = y.length;
        double mean = Arrays.stream(y).average().orElseThrow();
        double eta = 0;
        for (int t = 0; t < n; t++) {
            double sum = 0;
            for (int i = 0; i <= t; i++) {
                sum += y[i] - mean;
            }
            eta += sum * sum;
        }
        int lags = (int) Math.floor(3 * Math.sqrt(n) / 13);
        double variance = 0;
        for (int i = 0; i < n; i++) {
            for (int j = 0; j < n; j++) {
                int distance = Math.abs(i - j);
                double weight = distance > lags ? 0 : 1 - distance / (lags + 1.0);
                variance += weight * (y[i] - mean) * (y[j] - mean) / n;
            }
        }
        return eta / n / n / variance;
    }

    /**
     * For an autoregression, a moving average and a random walk, the forecast errors approach the variance of the
     * noise.
     */
    @Test
    void identifiesTheGeneratingProcessWithArima() {
        double[] chance = new double[3];
        double[] off = new double[3];
        double[] naive = new double[3];
        int count = 0;
        for (int seed = 0; seed < 150; seed++) {
            RandomStream random = RandomStream.of(seed, "process");
            Arima[] forecasts = {new Arima(), new Arima(), new Arima()};
            double[] last = {500, 500, 500};
            double error = 0;
            for (int step = 0; step < 80; step++) {
                double drawn = 10 * normal(random);
                double[] mean = {500 + 0.8 * (last[0] - 500), 500 - 0.7 * error, last[2]};
                for (int kind = 0; kind < 3; kind++) {
                    double value = mean[kind] + drawn;
                    if (step >= 60) {
                        chance[kind] += drawn * drawn;
                        off[kind] += Math.pow(value - forecasts[kind].next(), 2);
                        naive[kind] += Math.pow(value - last[kind], 2);
                    }
                    forecasts[kind].add(value);
                    last[kind] = value;
                }
                count += step >= 60 ? 1 : 0;
                error = drawn;
            }
        }
        assertThat(count).isEqualTo(3000);
        for (int kind = 0; kind < 3; kind++) {
            assertThat(off[kind] / chance[kind]).as("kind %d", kind).isBetween(0.99, 1.2);
        }
        assertThat(off[0]).isLessThan(naive[0]);
        assertThat(off[1]).isLessThan(0.6 * naive[1]);
    }

    /** Forecasts are deterministic, finite and not negative. */
    @Test
    void forecastsShortSeries() {
        for (int seed = 0; seed < 300; seed++) {
            RandomStream random = RandomStream.of(seed, "short");
            double[] values = new double[5 + (int) random.below(12)];
            for (int i = 0; i < values.length; i++) {
                values[i] = random.below(seed % 3 == 0 ? 3 : 2000);
            }
            double next = next(new Arima(), values);
            assertThat(next).isGreaterThanOrEqualTo(0).isFinite().isEqualTo(next(new Arima(), values));
        }
    }
}
