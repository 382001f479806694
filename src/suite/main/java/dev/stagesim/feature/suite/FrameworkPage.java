package dev.stagesim.feature.suite;

import static dev.stagesim.model.Nanos.NS_PER_US;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.stats.Quantiles;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.TfWorkload;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Report of a measured suite workload, as text and as one HTML page. */
final class FrameworkPage {
    private static final int SLOWEST = 20;

    private final TfWorkload workload;
    private final SuiteSettings suite;
    private final FrameworkPlan plan;
    private final List<FrameworkRun> runs;
    private final FrameworkTimes times;
    private final FrameworkAccounting accounting;
    private final List<FrameworkTimes.Layer> layers;

    FrameworkPage(
            TfWorkload workload,
            SuiteSettings suite,
            FrameworkPlan plan,
            List<FrameworkRun> runs,
            FrameworkTimes times,
            FrameworkAccounting accounting,
            List<FrameworkTimes.Layer> layers) {
        this.workload = workload;
        this.suite = suite;
        this.plan = plan;
        this.runs = runs;
        this.times = times;
        this.accounting = accounting;
        this.layers = layers;
    }

    private String sentence() {
        return workload.label() + ": a training step of " + Numbers.count(workload.batch(suite)) + " samples takes "
                + micros(median("train")) + " µs on the " + (plan.isGpu() ? "GPU" : "processor") + " ("
                + plan.precision().toLowerCase(Locale.ROOT) + ", " + plan.interThreads() + " x " + plan.intraThreads()
                + " threads), a forward pass " + micros(median("infer")) + " µs.";
    }

    private String second() {
        long hashes = runs.stream().map(FrameworkRun::lossHash).distinct().count();
        String losses = runs.size() == 1
                ? "Only one process ran, so the losses were not compared."
                : hashes == 1
                        ? "All " + runs.size() + " processes had the same losses."
                        : "The processes had " + hashes + " different series of losses.";
        double lowerBound =
                layers.stream().mapToDouble(FrameworkTimes.Layer::roofline).sum();
        return losses + " The processes' median steps differ by " + Numbers.fixed(noise() * 100, 1)
                + " %. At the rates that a probe reached on this machine a step takes at least " + micros(lowerBound)
                + " µs; this bound uses no fit." + closure();
    }

    private String closure() {
        if (!accounting.isKnown()) {
            return "";
        }
        if (!accounting.isOneThread()) {
            return " Operations of several threads overlap: bench.threads=one makes times that add up to the step.";
        }
        return " Operations and the time outside them add up to " + Numbers.share(accounting.share() * 100, 1)
                + " of a traced step"
                + (accounting.closes() ? "" : ", not to within 5 %: the machine was busy, or a time is missing")
                + "; the operations alone are " + Numbers.share(accounting.kernels() * 100, 1)
                + " of a step without tracing.";
    }

    /** Breakdown of a step, if available. */
    private Optional<DataTable> accounted() {
        if (!accounting.isKnown() || !accounting.isOneThread()) {
            return Optional.empty();
        }
        DataTable table = new DataTable("Breakdown of the fastest traced step")
                .columns("Part", "#Time (µs)", "#Of the traced step");
        part(table, "operations", accounting.operations());
        part(table, "around operations, in the framework", accounting.around());
        part(table, "between operations, writing the trace included", accounting.between());
        part(table, "outside operations: a call that computes nothing", accounting.outside());
        part(table, "all of these", accounting.sum());
        part(table, "traced step, from the call to the end of its last operation", accounting.step());
        part(table, "shortest step without tracing", accounting.plain());
        return Optional.of(table);
    }

    private void part(DataTable table, String name, double ns) {
        table.row(name, micros(ns), Numbers.share(100 * ns / accounting.step(), 1));
    }

    /** Relative spread of the medians of equal processes: maximum minus minimum, divided by the minimum. */
    private double noise() {
        double[] medians = runs.stream()
                .mapToDouble(run -> Quantiles.of(run.wall("train"), 0.5))
                .sorted()
                .toArray();
        return medians[medians.length - 1] / medians[0] - 1;
    }

    private double[] all(String phase) {
        return runs.stream()
                .flatMapToDouble(run -> Arrays.stream(run.wall(phase)))
                .toArray();
    }

    private double median(String phase) {
        return Quantiles.of(all(phase), 0.5);
    }

    private static String micros(double ns) {
        return Numbers.significant(ns / NS_PER_US, 4);
    }

    private DataTable steps() {
        DataTable table = new DataTable("Times of steps").columns("Phase", "#Steps", "#Median (µs)", "#P90 (µs)");
        for (String phase : List.of("train", "trace", "infer")) {
            double[] wall = all(phase);
            if (wall.length > 0) {
                table.row(
                        phase,
                        Numbers.count(wall.length),
                        micros(Quantiles.of(wall, 0.5)),
                        micros(Quantiles.of(wall, 0.9)));
            }
        }
        double[] input = runs.stream()
                .flatMap(run -> run.steps.stream())
                .filter(step -> step.phase().equals("train"))
                .mapToDouble(FrameworkRun.Step::inputNs)
                .toArray();
        table.row(
                "input wait, outside the steps",
                Numbers.count(input.length),
                micros(Quantiles.of(input, 0.5)),
                micros(Quantiles.of(input, 0.9)));
        return table;
    }

    private DataTable slowest() {
        DataTable table = new DataTable("Slowest operations")
                .columns("Node", "Operation", "Direction", "#Calls", "#Median (µs)", "#P90 (µs)");
        times.ops().stream()
                .limit(SLOWEST)
                .forEach(op -> table.row(
                        op.node(),
                        op.kind(),
                        op.place().direction(),
                        Numbers.count(op.calls()),
                        micros(op.median()),
                        micros(op.p90())));
        return table;
    }

    private DataTable predicted() {
        DataTable table = new DataTable("Layers, measured and predicted")
                .columns(
                        "Layer",
                        "Direction",
                        "Kind",
                        "#Measured (µs)",
                        "#Roofline (µs)",
                        "#Measured / roofline",
                        "#Array (µs)");
        return table.rows(
                layers,
                layer -> List.of(
                        layer.place().layer(),
                        layer.place().direction(),
                        layer.type(),
                        layer.measured() == 0 ? Numbers.NONE : micros(layer.measured()),
                        micros(layer.roofline()),
                        layer.measured() == 0 || layer.roofline() == 0
                                ? Numbers.NONE
                                : Numbers.significant(layer.measured() / layer.roofline(), 3),
                        layer.systolic() == 0 ? Numbers.NONE : micros(layer.systolic())));
    }

    Report report() {
        Report report = new Report(workload.label() + " on TensorFlow")
                .answer(sentence())
                .prose(second())
                .section("steps", "Steps")
                .table(steps());
        if (!times.ops().isEmpty()) {
            accounted().ifPresent(table -> report.section("accounting", "Breakdown of a step")
                    .table(table));
            report.section("layers", "Layers, measured and predicted").table(predicted());
            report.section("ops", "Slowest operations").table(slowest());
        }
        if (!plan.substitutions().isEmpty()) {
            report.section("instead", "Substitutions").items(plan.substitutions());
        }
        return report.footer("Stagesim · real_bench");
    }
}
