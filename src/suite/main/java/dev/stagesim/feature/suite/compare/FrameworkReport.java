package dev.stagesim.feature.suite.compare;

import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.feature.suite.measured.Efficiencies;
import dev.stagesim.feature.suite.measured.MeasuredLayer;
import dev.stagesim.feature.suite.measured.MeasuredOp;
import dev.stagesim.feature.suite.measured.MeasuredWorkload;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Charts;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.Report.Tone;
import dev.stagesim.report.TimeScale;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Report of a suite comparison, as text and as one HTML page. */
final class FrameworkReport {
    private static final Map<String, String> SHORT = Map.of("forward", "fwd", "backward", "bwd", "update", "upd");
    private static final int BARS = 8;
    private static final int SLOWEST = 15;

    private final FrameworkComparison c;
    private final MeasuredWorkload workload;
    private final FrameworkWording wording;
    private final TimeScale scale;

    FrameworkReport(FrameworkComparison comparison) {
        this.c = comparison;
        this.workload = comparison.workload();
        this.wording = new FrameworkWording(comparison);
        this.scale = wording.scale();
    }

    private String title() {
        return workload.label() + (c.other().isPresent() ? ": two measured runs" : ": measured and predicted");
    }

    private String time(double ns) {
        return ns > 0 ? scale.text(ns) : Numbers.NONE;
    }

    private String time(Optional<Double> ns) {
        return ns.map(this::time).orElse(Numbers.NONE);
    }

    /** Formats microseconds, because layers and operations take from less than a microsecond to seconds. */
    private static String micros(double ns) {
        return ns > 0 ? Numbers.significant(ns / NS_PER_US, 3) : Numbers.NONE;
    }

    private static String micros(Optional<Double> ns) {
        return ns.map(FrameworkReport::micros).orElse(Numbers.NONE);
    }

    private DataTable predictions() {
        DataTable table = new DataTable("Predictions of the step; predictions without a fit come first")
                .columns("Prediction", "#Predicted (" + scale.unit() + ")")
                .number("Same layers, measured (" + scale.unit() + ")", "Only layers with a prediction.")
                .number("Difference")
                .number("Error factor of layers", "Median over layers and directions with a sufficient measured time.")
                .number("Difference from whole step");
        for (FrameworkPrediction prediction : c.predictions()) {
            double real = prediction.measured(workload);
            boolean isByLayer = workload.isByLayer() && real > 0;
            boolean isSecond = prediction.key().equals("sim") && c.other().isPresent();
            double whole = isSecond ? c.other().get().times().step() : prediction.sum();
            table.row(
                    prediction.title(),
                    time(prediction.sum()),
                    isByLayer ? time(real) : Numbers.NONE,
                    isByLayer && prediction.sum() > 0
                            ? Numbers.percent(FrameworkComparison.percent(prediction.sum(), real))
                            : Numbers.NONE,
                    SuiteErrorTables.factor(
                            prediction.fold(workload, c.settings().fit().minLayerNs())),
                    whole > 0
                            ? Numbers.percent(FrameworkComparison.percent(
                                    whole, workload.times().step()))
                            : Numbers.NONE);
        }
        return table;
    }

    private DataTable steps() {
        DataTable table = new DataTable("Measured times (medians)").columns("Quantity", "#Time (" + scale.unit() + ")");
        if (c.other().isPresent()) {
            table.columns("#Second run (" + scale.unit() + ")", "#Difference");
        }
        Optional<MeasuredWorkload.Times> sim = c.other().map(MeasuredWorkload::times);
        MeasuredWorkload.Times real = workload.times();
        row(table, "training step", real.step(), sim.map(MeasuredWorkload.Times::step));
        row(table, "wait for input, outside the step", real.input(), sim.map(MeasuredWorkload.Times::input));
        row(table, "forward pass", real.infer(), sim.map(MeasuredWorkload.Times::infer));
        return table;
    }

    private void row(DataTable table, String what, double real, Optional<Double> sim) {
        if (sim.isPresent()) {
            table.row(
                    what, time(real), time(sim), Numbers.percent(FrameworkComparison.percent(sim.orElseThrow(), real)));
        } else {
            table.row(what, time(real));
        }
    }

    private DataTable layers() {
        DataTable table = new DataTable("Layers by direction (µs)")
                .columns("Layer", "Direction", "Class", "#Measured", "#Roofline")
                .number("Share of roofline", "Roofline over measured.")
                .number("Array", "Products only; the rest is not modelled.")
                .number("Fitted on others");
        boolean hasSim = c.sim().isPresent();
        if (hasSim) {
            table.number(c.sim().get().times().title());
        }
        for (MeasuredLayer layer : workload.layers()) {
            boolean isKnown = workload.isByLayer() && layer.measured() > 0;
            List<String> cells = new ArrayList<>(List.of(
                    layer.name(),
                    layer.direction(),
                    layer.type(),
                    isKnown ? micros(layer.measured()) : Numbers.NONE,
                    micros(layer.roofline()),
                    isKnown ? Numbers.share(100 * layer.roofline() / layer.measured(), 0) : Numbers.NONE,
                    micros(layer.systolic()),
                    micros(c.efficiencies().map(fitted -> fitted.predict(layer)))));
            if (hasSim) {
                cells.add(micros(c.sim().get().times().of(layer)));
            }
            table.row(cells.toArray(String[]::new));
        }
        return table;
    }

    private DataTable classes() {
        Map<String, Efficiencies.Fitted> others =
                c.efficiencies().map(Efficiencies::classes).orElse(Map.of());
        DataTable table = new DataTable("Classes of operators")
                .columns("Class", "#Measured (µs)", "#Roofline (µs)", "#Share of roofline here", "#In other families");
        FrameworkTables.byClass(workload)
                .forEach((type, sums) -> table.row(
                        type,
                        workload.isByLayer() ? micros(sums[0]) : Numbers.NONE,
                        micros(sums[1]),
                        workload.isByLayer() && sums[0] > 0 ? Numbers.share(100 * sums[1] / sums[0], 0) : Numbers.NONE,
                        Optional.ofNullable(others.get(type))
                                .map(fitted -> Numbers.share(100 * fitted.efficiency(), 0))
                                .orElse(Numbers.NONE)));
        return table;
    }

    private DataTable slowest() {
        DataTable table = new DataTable("Slowest operations").columns("Node", "Operation", "Layer", "#Median (µs)");
        workload.ops().stream()
                .limit(SLOWEST)
                .forEach((MeasuredOp op) -> table.row(op.node(), op.kind(), op.layer(), micros(op.ns())));
        return table;
    }

    /** Charts of the slowest layers and of operator classes, with the best available prediction. */
    List<Chart> charts() {
        if (!workload.isByLayer()) {
            return List.of();
        }
        FrameworkPrediction shown = c.predictions().get(0);
        for (FrameworkPrediction prediction : c.predictions()) {
            shown = prediction.key().equals("array") ? shown : prediction;
        }
        List<MeasuredLayer> max = workload.layers().stream()
                .sorted(Comparator.comparingDouble(MeasuredLayer::measured).reversed())
                .limit(BARS)
                .toList();
        Map<String, double[]> classes = new TreeMap<>();
        for (MeasuredLayer layer : workload.layers()) {
            double[] sums = classes.computeIfAbsent(layer.type(), key -> new double[2]);
            sums[0] += layer.measured();
            sums[1] += shown.of(layer).orElse(0.0);
        }
        FrameworkPrediction of = shown;
        return List.of(
                bars(
                        "layers",
                        "The layers that take longest",
                        shown.title(),
                        max.stream()
                                .map(layer -> layer.name() + " " + SHORT.getOrDefault(layer.direction(), ""))
                                .toList(),
                        max.stream()
                                .map(layer -> new double[] {
                                    layer.measured(), of.of(layer).orElse(0.0)
                                })
                                .toList()),
                bars(
                        "classes",
                        "Classes of operators",
                        shown.title(),
                        List.copyOf(classes.keySet()),
                        List.copyOf(classes.values())));
    }

    private Chart bars(String name, String title, String against, List<String> names, List<double[]> values) {
        return Charts.bars(
                new Charts.Subject(
                        name,
                        title,
                        "Measured and predicted times in a step: " + against + ".",
                        "time in a step (" + scale.unit() + ")",
                        "measured",
                        against),
                names,
                values.stream().mapToDouble(pair -> scale.of(pair[0])).toArray(),
                values.stream().mapToDouble(pair -> scale.of(pair[1])).toArray(),
                scale.decimals());
    }

    Report report() {
        boolean isBad = c.failure().isPresent();
        Report out = new Report(title()).answer(isBad ? Tone.BAD : Tone.PLAIN, wording.sentence());
        wording.sentences().forEach(out::prose);
        out.section("steps", "Steps").table(steps());
        out.section("predictions", "Predictions").table(predictions());
        if (workload.isByLayer()) {
            out.section("layers", "Layers").charts(charts()).table(layers());
            out.section("classes", "Classes of operators").table(classes());
            out.section("slowest", "Slowest operations").table(slowest());
        }
        if (!c.checked().isEmpty()) {
            out.section("held-out", "Prediction errors by family").table(SuiteErrorTables.families(c.checked()));
        }
        provenance(out);
        return out.style("tbody th { white-space: nowrap; }")
                .footer("Stagesim · compare · " + c.run().runId()
                        + c.sim().map(side -> " and " + side.run().runId()).orElse(""));
    }

    private void provenance(Report out) {
        MeasuredWorkload.Execution execution = workload.execution();
        List<String> fitted = FrameworkJson.fittedOn(c);
        out.section("provenance", "Provenance").fact("Run", c.run().runId());
        c.sim().ifPresent(side -> out.fact("Compared with", side.run().runId()));
        out.fact(
                        "Ran on",
                        execution.framework() + ", " + execution.device() + ", " + execution.precision() + ", "
                                + execution.threads() + " threads" + (execution.isCompiled() ? ", XLA" : ""))
                .fact("Fitted on", fitted.isEmpty() ? "nothing" : String.join(", ", fitted));
        if (!workload.substitutions().isEmpty()) {
            out.head("Substitutions").items(workload.substitutions());
        }
    }

    /** Sentences of a suite comparison. */
    private static final class FrameworkWording {
        private final FrameworkComparison c;
        private final MeasuredWorkload workload;
        private final TimeScale scale;

        FrameworkWording(FrameworkComparison comparison) {
            this.c = comparison;
            this.workload = comparison.workload();
            this.scale = TimeScale.fit(workload.times().step());
        }

        TimeScale scale() {
            return scale;
        }

        /** Returns the main result. */
        String sentence() {
            String step = workload.label() + ": a training step of "
                    + Numbers.count(workload.execution().batch()) + " samples takes "
                    + scale.withUnit(workload.times().step()) + " on the "
                    + (workload.execution().device().equals("gpu") ? "GPU" : "processor");
            Optional<Double> percent = c.stepPercent();
            if (percent.isPresent()) {
                boolean isNoise = Math.abs(percent.get()) <= c.noise() * 100;
                return step + ", " + Numbers.percent(percent.get()) + " in the second run"
                        + (isNoise ? ": within the noise of equal processes." : ".");
            }
            double roofline = c.predictions().get(0).sum();
            return step + "; the roofline predicts " + scale.withUnit(roofline)
                    + (isBeyond()
                            ? "."
                            : ", so the step reaches "
                                    + Numbers.share(
                                            100 * roofline / workload.times().step(), 0) + " of it.");
        }

        /** True if the step is faster than the roofline by the probe. */
        private boolean isBeyond() {
            return c.predictions().get(0).sum() > workload.times().step();
        }

        /** Returns the explanations. */
        List<String> sentences() {
            List<String> all = new ArrayList<>();
            all.add("Roofline and array use no fit: a probe measured the rates on the"
                    + " machine of the run. Waiting for input is outside the step and in no prediction.");
            if (isBeyond() && c.stepPercent().isEmpty()) {
                all.add("The step is faster than its roofline: the probe was disturbed on a busy machine, or values"
                        + " stayed in caches.");
            }
            c.heldOut()
                    .heldOutFold()
                    .ifPresent(fold -> all.add("Efficiencies of classes of operators that were fitted on "
                            + FrameworkJson.fittedOn(c).size() + " workloads of other families are off by a factor of "
                            + Numbers.significant(fold, 3) + " per layer"
                            + c.heldOut()
                                    .rooflineFold()
                                    .map(bare -> ", the bare roofline by " + Numbers.significant(bare, 3))
                                    .orElse("")
                            + " (medians)."));
            if (c.efficiencies().isEmpty()) {
                all.add(
                        c.checked().isEmpty()
                                ? "Nothing is fitted: compare.fit.runs names no other measured workload."
                                : "Nothing is fitted: compare.fit.runs names no workload of another family with"
                                        + " operations of its own.");
            }
            if (workload.execution().isCompiled()) {
                all.add("The step was compiled: its operations cannot be separated, so only whole steps are"
                        + " compared.");
            } else if (!workload.isByLayer()) {
                all.add("No step was traced (bench.trace_steps=0), so only whole steps are compared.");
            }
            all.add(noise());
            return all;
        }

        private String noise() {
            int processes = workload.steps().length
                    + c.other().map(other -> other.steps().length).orElse(0)
                    + c.again().map(once -> once.steps().length).orElse(0);
            return workload.steps().length == 1 && c.again().isEmpty()
                    ? "Only one process ran, so the spread of equal measurements is unknown (bench.processes,"
                            + " compare.noise.dir)."
                    : "Noise floor: median steps of equal measurements (" + processes + " processes) differ by up to "
                            + Numbers.share(c.noise() * 100, 1) + ".";
        }
    }
}
