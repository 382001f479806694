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
 * <p>In the model, one accelerator needs the time {@code (1 + w c) / (f u B)} per token. The overhead {@code c} is
 * linear in the degrees of parallelism, so the time is {@code a + b (tp - 1) + d (pp - 1)}, which is fitted by least
 * squares. Constant columns are omitted.
 */
public record CoefficientFit(
        LeastSquares rate, List<Integer> columns, double latencyCoefficient, double level, int runs) {
    private static final List<String> NAMES = List.of("seconds_per_token", "seconds_per_tp", "seconds_per_pp");

    private static final List<String> LABELS = List.of(
            "Accelerator seconds per token",
            "Additional seconds per device that shares a layer",
            "Additional seconds per pipeline stage");

    /**
     * A measured run.
     *
     * @param name name in reports
     * @param accelerators number of devices
     * @param tokensPerSecond token rate; only output tokens when serving
     * @param p50TpotMs median TPOT
     */
    public record Observation(String name, int tp, int pp, int accelerators, double tokensPerSecond, double p50TpotMs) {
        double[] row(List<Integer> columns) {
            double[] all = {1, tp - 1.0, pp - 1.0};
            return columns.stream().mapToDouble(column -> all[column]).toArray();
        }

        /** Returns the accelerator time per token in seconds. */
        double seconds() {
            return accelerators / tokensPerSecond;
        }
    }

    /**
     * Fits the coefficients to runs.
     *
     * @throws IllegalArgumentException if there are too few runs, or their differences cannot be separated
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

    /** Returns the mean relative error on runs that were left out of the fit. */
    public double heldOutError() {
        return rate.heldOutError();
    }

    /** Returns the relative standard deviation of throughput, from the fitted rate and the held-out error. */
    public double sigma() {
        double rateError = rate.standardError(0) / rate.coefficient(0);
        return Math.hypot(rateError, rate.heldOutError());
    }

    private double coefficient(int wanted) {
        int at = columns.indexOf(wanted);
        return at < 0 ? 0 : rate.coefficient(at);
    }

    /** Replaces rate, overheads and median latency of a target by the fitted values. */
    public AcceleratorCoefficients applied(AcceleratorCoefficients coefficients) {
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
                KeyRecord.with(AcceleratorCard.class, coefficients.card(), fitted),
                1 / base,
                latencyCoefficient,
                coefficients.idlePower(),
                coefficients.busyPower());
    }

    /** Returns the coefficients with confidence intervals. */
    public DataTable table() {
        DataTable table = new DataTable(
                        "Fitted to " + Count.of(runs, "run") + "; intervals at " + Numbers.fixed(100 * level, 0) + " %")
                .columns("Coefficient", "#Value", "#Low", "#High");
        for (int i = 0; i < columns.size(); i++) {
            Interval interval = rate.interval(i, level);
            table.row(
                    LABELS.get(columns.get(i)),
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
