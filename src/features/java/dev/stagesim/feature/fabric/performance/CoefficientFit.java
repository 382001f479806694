package dev.stagesim.feature.fabric.performance;

import dev.stagesim.io.fabric.FabricDocument;
import dev.stagesim.model.Count;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.capacity.AcceleratorCard;
import dev.stagesim.sim.capacity.AcceleratorCoefficients;
import dev.stagesim.stats.Interval;
import dev.stagesim.stats.LeastSquares;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * Coefficients of the semi-empirical model fitted to measured runs.
 *
 * <p>The model says that the time of one accelerator for one token is {@code (1 + w c) / (f u B)}, with the overhead {@code
 * c} linear in the degrees of parallelism: so it is {@code a + b (tp - 1) + d (pp - 1)}, which least squares fit. Columns
 * that do not vary are left out.
 */
public record CoefficientFit(
        LeastSquares rate, List<Integer> columns, double latencyCoefficient, double level, int runs) {
    private static final List<String> NAMES = List.of("seconds_per_token", "seconds_per_tp", "seconds_per_pp");

    private static final List<String> WORDS = List.of(
            "Seconds of an accelerator for one token",
            "more of them for each further device that shares a layer",
            "more of them for each further pipeline stage");

    /**
     * A measured run.
     *
     * @param name how reports name it
     * @param accelerators devices it ran on
     * @param tokensPerSecond tokens it gave, output tokens when serving
     * @param p50TpotMs median time per output token
     */
    public record Observation(String name, int tp, int pp, int accelerators, double tokensPerSecond, double p50TpotMs) {
        double[] row(List<Integer> columns) {
            double[] all = {1, tp - 1.0, pp - 1.0};
            return columns.stream().mapToDouble(column -> all[column]).toArray();
        }

        /** Seconds of one accelerator for one token. */
        double seconds() {
            return accelerators / tokensPerSecond;
        }
    }

    /**
     * Fits to runs.
     *
     * @throws IllegalArgumentException with a sentence when they are too few, or differ in ways that cannot be told apart
     */
    public static CoefficientFit of(List<Observation> runs, double level) {
        List<Integer> columns = new ArrayList<>(List.of(0));
        if (runs.stream().map(Observation::tp).distinct().count() > 1) {
            columns.add(1);
        }
        if (runs.stream().map(Observation::pp).distinct().count() > 1) {
            columns.add(2);
        }
        double[][] x = runs.stream().map(run -> run.row(columns)).toArray(double[][]::new);
        double[] y = runs.stream().mapToDouble(Observation::seconds).toArray();
        LeastSquares rate = LeastSquares.fit(x, y);
        double coefficient = runs.stream()
                .mapToDouble(run -> run.p50TpotMs() / run.seconds())
                .average()
                .orElseThrow();
        return new CoefficientFit(rate, List.copyOf(columns), coefficient, level, runs.size());
    }

    /** Mean relative error on each run when it is left out of the fit. */
    public double heldOutError() {
        return rate.heldOutError();
    }

    /** Standard deviation of throughput that stays: that of the fitted rate, and the error on runs held out. */
    public double sigma() {
        double own = rate.standardError(0) / rate.coefficient(0);
        return Math.hypot(own, rate.heldOutError());
    }

    private double coefficient(int wanted) {
        int at = columns.indexOf(wanted);
        return at < 0 ? 0 : rate.coefficient(at);
    }

    /** A target's coefficients with rate, overheads and median latency as fitted. */
    public AcceleratorCoefficients applied(AcceleratorCoefficients own) {
        double base = coefficient(0);
        Map<String, Double> fitted = new LinkedHashMap<>();
        List.of("trainingFactor", "inferenceFactor", "overheadWeight", "utilization", "utilizationMax")
                .forEach(name -> fitted.put(name, 1.0));
        List.of("cudaGraphsGain", "gpudirectGain", "inferenceBonus", "commBase", "minOverhead", "minP50Ms")
                .forEach(name -> fitted.put(name, 0.0));
        fitted.put("commPerTp", Math.max(0, coefficient(1) / base));
        fitted.put("commPerPp", Math.max(0, coefficient(2) / base));
        fitted.put("commInferenceScale", 1.0);
        return new AcceleratorCoefficients(
                KeyRecord.with(AcceleratorCard.class, own.card(), fitted),
                1 / base,
                latencyCoefficient,
                own.idlePower(),
                own.busyPower());
    }

    /** The coefficients with their intervals. */
    public DataTable table() {
        DataTable table = new DataTable(
                        "Fitted to " + Count.of(runs, "run") + "; intervals at " + Numbers.fixed(100 * level, 0) + " %")
                .columns("Coefficient", "#Value", "#Low", "#High");
        for (int i = 0; i < columns.size(); i++) {
            Interval interval = rate.interval(i, level);
            table.row(
                    WORDS.get(columns.get(i)),
                    Numbers.significant(rate.coefficient(i), 4),
                    Numbers.significant(interval.low(), 4),
                    Numbers.significant(interval.high(), 4));
        }
        return table.row(
                "Mean error on a run that is left out of the fit (%)",
                Numbers.fixed(100 * heldOutError(), 1), Numbers.NONE, Numbers.NONE);
    }

    public FabricDocument.Fitted document() {
        List<FabricDocument.Figure> coefficients = new ArrayList<>();
        for (int i = 0; i < columns.size(); i++) {
            Interval interval = rate.interval(i, level);
            coefficients.add(new FabricDocument.Figure(
                    NAMES.get(columns.get(i)), rate.coefficient(i), interval.low(), interval.high()));
        }
        return new FabricDocument.Fitted(runs, level, coefficients, heldOutError());
    }
}
