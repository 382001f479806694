package dev.stagesim.sim.capacity;

import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.core.RealMath;
import dev.stagesim.sim.core.Variates;
import dev.stagesim.stats.Interval;
import dev.stagesim.stats.Quantiles;

/**
 * Monte Carlo ranges of results from uncertain inputs: throughput, power, price and carbon intensity, which are independent
 * of each other.
 *
 * <p>Throughput and power are log-normal with median 1, price and carbon intensity are triangular. Draw d uses stream d of
 * the seed, so more draws refine a range without changing the earlier ones.
 */
public record MonteCarloRanges(
        double throughputSigma,
        double powerSigma,
        Triangle price,
        Triangle carbon,
        int draws,
        double level,
        long seed) {
    /** A triangular distribution. */
    public record Triangle(double low, double mode, double high) {
        double at(double u) {
            if (!(high > low)) {
                return mode;
            }
            double split = (mode - low) / (high - low);
            return u < split
                    ? low + Math.sqrt(u * (high - low) * (mode - low))
                    : high - Math.sqrt((1 - u) * (high - low) * (high - mode));
        }
    }

    /**
     * One draw.
     *
     * @param throughput factor on capacity; latencies are divided by it
     * @param power factor on power
     * @param usdPerHour price of a node
     * @param kgPerKwh carbon dioxide of a kWh
     */
    public record Draw(double throughput, double power, double usdPerHour, double kgPerKwh) {}

    /** Computes the results of a draw, always the same number in the same order. */
    public interface Figures {
        double[] of(Draw draw);
    }

    /** Returns the central range of each result. */
    public Interval[] ranges(Figures figures) {
        double[][] values = new double[draws][];
        for (int d = 0; d < draws; d++) {
            values[d] = figures.of(draw(d));
        }
        Interval[] ranges = new Interval[values[0].length];
        double tail = (1 - level) / 2;
        double[] column = new double[draws];
        for (int f = 0; f < ranges.length; f++) {
            for (int d = 0; d < draws; d++) {
                column[d] = values[d][f];
            }
            double[] sorted = Quantiles.sorted(column);
            ranges[f] = new Interval(Quantiles.ofSorted(sorted, tail), Quantiles.ofSorted(sorted, 1 - tail));
        }
        return ranges;
    }

    private Draw draw(int number) {
        RandomStream random = RandomStream.of(seed, "draw-" + number);
        Variates variates = new Variates(random);
        RealMath math = new RealMath();
        return new Draw(
                math.exp(throughputSigma * variates.normal()),
                math.exp(powerSigma * variates.normal()),
                price.at(random.nextDouble()),
                carbon.at(random.nextDouble()));
    }
}
