package dev.stagesim.feature.suite.compare;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.feature.suite.measured.Efficiencies;
import dev.stagesim.feature.suite.measured.MeasuredLayer;
import dev.stagesim.feature.suite.measured.MeasuredWorkload;
import dev.stagesim.feature.suite.measured.PredictionError;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.scalesim.ScaleSimTables;
import dev.stagesim.measure.CompareSettings;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.RunInput;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Compares a measured suite workload with its predictions and, if {@code sim.dir} is set, with a second run.
 *
 * @param run the measured run
 * @param workload the measured workload
 * @param sim the second run, if given
 * @param again a repeated measurement, for the noise floor
 * @param heldOut prediction errors of this workload, fitted on other families
 * @param checked prediction errors of all workloads in the fit, including this one
 * @param settings comparison settings
 */
record FrameworkComparison(
        RunInput run,
        MeasuredWorkload workload,
        Optional<FrameworkCandidate> sim,
        Optional<MeasuredWorkload> again,
        PredictionError heldOut,
        List<PredictionError> checked,
        CompareSettings settings) {
    private static final String STEP = "step_p50";

    /** Returns errors for limits and options that only apply to requests. */
    static List<Problem> problems(CompareSettings settings, boolean hasSim) {
        List<Problem> problems = new ArrayList<>();
        String message = "has no effect: a workload of the profiling suite has no requests";
        settings.tolerance().limits().keySet().stream()
                .filter(name -> !name.equals(STEP))
                .forEach(name -> problems.add(problem("compare.tolerance." + name + "_percent", message)));
        if (settings.excludeWarmup() > 0) {
            problems.add(problem("compare.exclude_warmup", message));
        }
        if (settings.excludeFailed()) {
            problems.add(problem("compare.exclude_failed", message));
        }
        if (settings.tolerance().stepP50Percent().isPresent() && !hasSim) {
            problems.add(problem(
                            "compare.tolerance.step_p50_percent",
                            "has no effect: limits apply to a second measured run, and sim.dir names none")
                    .hint("sim.dir=<run of real_bench bench=tf>"));
        }
        return problems;
    }

    private static Problem problem(String key, String what) {
        return Problem.config(key, what);
    }

    static FrameworkComparison of(
            RunInput run,
            Optional<RunInput> sim,
            Optional<RunInput> again,
            List<RunInput> fitted,
            CompareSettings settings)
            throws IOException {
        MeasuredWorkload workload = SuiteRun.read(run.dir());
        Optional<FrameworkCandidate> candidate =
                sim.isPresent() ? Optional.of(FrameworkCandidate.read(sim.get(), workload, run)) : Optional.empty();
        if (settings.tolerance().stepP50Percent().isPresent()
                && candidate.flatMap(FrameworkCandidate::measured).isEmpty()) {
            throw StageException.input(problem(
                    "compare.tolerance.step_p50_percent",
                    "has no effect: limits apply to a second measured run, and sim.dir is a simulation"));
        }
        List<MeasuredWorkload> all = new ArrayList<>(List.of(workload));
        for (RunInput other : fitted) {
            if (!other.dir().equals(run.dir())) {
                all.add(SuiteRun.read(other.dir()));
            }
        }
        long minLayerNs = settings.fit().minLayerNs();
        return new FrameworkComparison(
                run,
                workload,
                candidate,
                again.isPresent() ? Optional.of(SuiteRun.read(again.get().dir())) : Optional.empty(),
                PredictionError.of(workload, all, minLayerNs),
                all.size() == 1 ? List.of() : PredictionError.each(all, minLayerNs),
                settings);
    }

    /** Returns the predictions: unfitted ones, the fitted one, then the given run. */
    List<FrameworkPrediction> predictions() {
        List<FrameworkPrediction> all = new ArrayList<>();
        all.add(FrameworkPrediction.of("roofline", "Roofline", workload, MeasuredLayer::roofline));
        all.add(FrameworkPrediction.of("array", "Systolic array", workload, MeasuredLayer::systolic));
        heldOut.heldOut()
                .ifPresent(fitted -> all.add(
                        FrameworkPrediction.of("held_out", "Fitted on other families", workload, fitted::predict)));
        sim.map(FrameworkCandidate::times).ifPresent(all::add);
        return all;
    }

    /** Returns the efficiencies that were fitted to other families, if any. */
    Optional<Efficiencies> efficiencies() {
        return heldOut.heldOut();
    }

    /** The second measured run. */
    Optional<MeasuredWorkload> other() {
        return sim.flatMap(FrameworkCandidate::measured);
    }

    /** Relative spread of equal measurements: the medians of each side's processes, and the repeated measurement. */
    double noise() {
        double spread =
                Math.max(workload.noise(), other().map(MeasuredWorkload::noise).orElse(0.0));
        double real = workload.times().step();
        return again.map(repeated ->
                        Math.max(spread, Efficiencies.factor(repeated.times().step(), real) - 1))
                .orElse(spread);
    }

    /** Difference of the second run's median step, in percent. */
    Optional<Double> stepPercent() {
        return other().map(one -> percent(one.times().step(), workload.times().step()));
    }

    static double percent(double sim, double real) {
        return real == 0 ? Double.NaN : 100 * (sim - real) / real;
    }

    /** Returns the violated limit. */
    Optional<Problem> failure() {
        return settings.tolerance()
                .stepP50Percent()
                .filter(limit -> stepPercent()
                        .filter(percent -> Math.abs(percent) > limit)
                        .isPresent())
                .map(limit -> Problem.of(
                        "check failed",
                        "compare.tolerance.step_p50_percent",
                        "the median training step differs by "
                                + dev.stagesim.report.Numbers.percent(
                                        stepPercent().orElseThrow()) + ", more than "
                                + dev.stagesim.report.Numbers.plain(limit) + " %"));
    }

    /**
     * The other side of a suite comparison: another measurement of the workload, or a simulation of its operators.
     *
     * @param run the run
     * @param measured the measured workload, if the run is a measurement
     * @param times times by layer and direction
     */
    record FrameworkCandidate(RunInput run, Optional<MeasuredWorkload> measured, FrameworkPrediction times) {
        private static final String KEY = "sim.dir";

        /**
         * Reads the other side.
         *
         * @throws StageException (input) if the run has another workload or no times
         */
        static FrameworkCandidate read(RunInput run, MeasuredWorkload real, RunInput realRun) throws IOException {
            FrameworkCandidate side =
                    switch (run.runType()) {
                        case "real_bench" -> measured(run, real);
                        case "scale_sim" -> new FrameworkCandidate(run, Optional.empty(), cycles(run, clock(realRun)));
                        default -> new FrameworkCandidate(run, Optional.empty(), operators(run));
                    };
            boolean isAligned = real.layers().isEmpty()
                    || real.layers().stream()
                            .map(MeasuredLayer::place)
                            .anyMatch(side.times().byPlace()::containsKey);
            if (!isAligned && side.measured().isEmpty()) {
                throw StageException.input(Problem.artifact(
                        KEY, run.dir() + " has no layer of " + real.label() + ": it simulates another workload"));
            }
            return side;
        }

        private static FrameworkCandidate measured(RunInput run, MeasuredWorkload real) throws IOException {
            MeasuredWorkload other = SuiteRun.read(run.dir());
            if (!other.label().equals(real.label())
                    || other.execution().batch() != real.execution().batch()) {
                throw StageException.input(Problem.artifact(
                        KEY,
                        run.dir() + " measures " + other.label() + " with batches of "
                                + other.execution().batch() + ", the real side " + real.label() + " with batches of "
                                + real.execution().batch()));
            }
            return new FrameworkCandidate(
                    run,
                    Optional.of(other),
                    FrameworkPrediction.of(
                            "sim", "Second run", other, layer -> other.isByLayer() ? layer.measured() : 0));
        }

        /** Array clock of the real side, which converts cycles to time. */
        private static double clock(RunInput real) throws IOException {
            return Json.read(real.file("framework.json")).get("clock_ghz").asDouble();
        }

        /** Names in a topology consist of layer, operator and direction. */
        private static FrameworkPrediction cycles(RunInput run, double clockGhz) throws IOException {
            Map<String, Double> byPlace = new LinkedHashMap<>();
            TableReader.forEach(run.file(ScaleSimTables.LAYERS.name()), ScaleSimTables.LAYERS, row -> {
                String[] parts = row.stringAt("name").split("/", -1);
                if (parts.length == 3) {
                    byPlace.merge(parts[0] + " " + shown(parts[2]), row.longAt("total_cycles") / clockGhz, Double::sum);
                }
            });
            return new FrameworkPrediction("sim", "Array of " + run.runId(), byPlace);
        }

        private static FrameworkPrediction operators(RunInput run) throws IOException {
            if (!run.has(SuiteTables.OPERATORS.name())) {
                throw StageException.input(
                        Problem.artifact(KEY, run.dir() + " contains no operators of a suite workload"));
            }
            Map<String, Double> byPlace = new LinkedHashMap<>();
            TableReader.forEach(run.file(SuiteTables.OPERATORS.name()), SuiteTables.OPERATORS, row -> {
                if (row.isEmpty("roofline_ns")) {
                    throw StageException.input(
                            Problem.artifact(KEY, run.dir() + " contains no times: its workload has no hardware")
                                    .hint("./stage workload workload=tf/<name> hardware@workload.hardware=<option>"));
                }
                byPlace.merge(
                        row.stringAt("layer") + " " + shown(row.stringAt("direction")),
                        row.doubleAt("roofline_ns"),
                        Double::sum);
            });
            return new FrameworkPrediction("sim", "Roofline of " + run.runId(), byPlace);
        }

        private static String shown(String direction) {
            return direction.endsWith("gradient") ? "backward" : direction;
        }
    }
}
