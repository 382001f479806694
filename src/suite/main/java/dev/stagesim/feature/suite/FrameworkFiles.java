package dev.stagesim.feature.suite;

import dev.stagesim.contract.SuiteTables;
import dev.stagesim.feature.suite.measured.SuiteArtifacts;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.json.TraceEvents;
import dev.stagesim.io.scalesim.ArrayReader;
import dev.stagesim.measure.BenchSettings;
import dev.stagesim.model.KeyNames;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stats.Quantiles;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.TfWorkload;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.Locale;

/** Writes the measurements of a suite workload. */
final class FrameworkFiles {

    private final TfWorkload workload;
    private final SuiteSettings suite;
    private final BenchSettings.Tf bench;
    private final FrameworkPlan plan;
    private final List<FrameworkRun> runs;
    private final StageContext context;
    private final FrameworkTimes times;
    private final FrameworkAccounting accounting;

    FrameworkFiles(
            TfWorkload workload,
            SuiteSettings suite,
            BenchSettings.Tf bench,
            FrameworkPlan plan,
            List<FrameworkRun> runs,
            StageContext context) {
        this.workload = workload;
        this.suite = suite;
        this.bench = bench;
        this.plan = plan;
        this.runs = runs;
        this.context = context;
        times = new FrameworkTimes(runs);
        accounting = FrameworkAccounting.of(runs, plan.isOneThread());
    }

    void write() throws IOException {
        steps();
        inputs();
        ops();
        LocatedJson probe = runs.get(0).probe.orElseThrow();
        List<FrameworkTimes.Layer> layers = times.layers(
                context.input("workload"),
                probe.get("flops_per_ns").asDouble(),
                probe.get("bytes_per_ns").asDouble(),
                ArrayReader.read(FrameworkBench.array(bench, context.home()), ScaleSimCompat.NONE)
                        .array(),
                bench.clockGhz());
        if (plan.isCompiled()) {
            layers = layers.stream().map(FrameworkTimes.Layer::unmeasured).toList();
        }
        layers(layers);
        trace();
        Json.write(context.out().resolve(SuiteArtifacts.FRAMEWORK.name()), SuiteArtifacts.FRAMEWORK, about(probe));
        FrameworkPage page = new FrameworkPage(workload, suite, plan, runs, times, accounting, layers);
        warnIfNotClosed();
        page.report().write(context.out());
        headlines();
    }

    /**
     * Warns if the parts do not add up to the step. This is not an error, because times depend on the machine's load.
     */
    private void warnIfNotClosed() {
        if (accounting.isOneThread() && accounting.isKnown() && !accounting.closes()) {
            context.warn(workload.label() + ": operations and the time outside them add up to "
                    + Numbers.share(accounting.share() * 100, 1) + " of a traced step, not to within 5 %");
        }
    }

    private void headlines() {
        context.headline("step_p50_ns", median("train"));
        context.headline("infer_p50_ns", median("infer"));
        context.headline("parameters", runs.get(0).parameters());
        context.headline(
                "peak_bytes",
                runs.stream().mapToLong(FrameworkRun::peakBytes).max().orElse(0));
    }

    private double median(String phase) {
        return Quantiles.of(
                runs.stream()
                        .flatMapToDouble(run -> java.util.Arrays.stream(run.wall(phase)))
                        .toArray(),
                0.5);
    }

    private void steps() throws IOException {
        try (TableWriter rows = TableWriter.in(context.out(), SuiteTables.STEPS)) {
            for (int process = 0; process < runs.size(); process++) {
                for (FrameworkRun.Step step : runs.get(process).steps) {
                    rows.put((long) process).put(step.number()).put(step.phase());
                    rows.put(step.wallNs()).put(step.loss()).put(step.accuracy());
                    rows.put(step.samples()).endRow();
                }
            }
        }
    }

    private void inputs() throws IOException {
        try (TableWriter rows = TableWriter.in(context.out(), SuiteTables.INPUTS)) {
            for (int process = 0; process < runs.size(); process++) {
                for (FrameworkRun.Step step : runs.get(process).steps) {
                    if (!step.phase().equals("infer")) {
                        rows.put((long) process).put(step.number());
                        rows.put(step.inputNs()).put(step.hostCalls()).endRow();
                    }
                }
            }
        }
    }

    private void ops() throws IOException {
        try (TableWriter rows = TableWriter.in(context.out(), SuiteTables.OPS)) {
            for (FrameworkTimes.Op op : times.ops()) {
                rows.put(op.node()).put(op.place().layer()).put(op.place().direction());
                rows.put(op.kind())
                        .put(op.calls())
                        .put(op.median())
                        .put(op.p90())
                        .endRow();
            }
            if (accounting.isOneThread() && accounting.isKnown()) {
                outside(rows, "(around operations)", accounting.around());
                outside(rows, "(between operations)", accounting.between());
                outside(rows, "(outside operations)", accounting.outside());
            }
        }
    }

    /** Writes a row for time outside operations, so that the table adds up to a traced step. */
    private static void outside(TableWriter rows, String name, double ns) throws IOException {
        rows.put(name).put("outside").putEmpty().putEmpty().put(0L);
        rows.put(Math.round(ns)).put(Math.round(ns)).endRow();
    }

    private void layers(List<FrameworkTimes.Layer> layers) throws IOException {
        TableWriter.write(context.out(), SuiteTables.LAYERS, layers, (rows, layer) -> {
            rows.put(layer.place().layer()).put(layer.place().direction()).put(layer.type());
            rows.put(layer.measured()).put(layer.flops()).put(layer.bytes());
            rows.put(layer.roofline()).putIf(layer.systolic() > 0, layer.systolic());
        });
    }

    /** Writes the traced steps of the first process in the Trace Event format, with one track per framework thread. */
    private void trace() throws IOException {
        List<FrameworkRun.Node> nodes = runs.get(0).nodes;
        long begin = nodes.stream().mapToLong(FrameworkRun.Node::startNs).min().orElse(0);
        try (BufferedWriter out =
                Files.newBufferedWriter(context.out().resolve("trace.json"), StandardCharsets.UTF_8)) {
            TraceEvents events = new TraceEvents(out, "ns");
            for (FrameworkRun.Node node : nodes) {
                FrameworkTimes.Place place = FrameworkTimes.Place.of(node.name());
                events.event('X').number("pid", 0).number("tid", node.thread());
                events.text("cat", place.layer() + " " + place.direction()).text("name", node.op());
                events.micros("ts", node.startNs() - begin).micros("dur", node.durationNs());
                events.args()
                        .text("node", node.name())
                        .number("step", node.step())
                        .end();
            }
            events.finish();
        }
    }

    private JsonValue setting(String device, String precision, boolean isCompiled, int inter, int intra) {
        return JsonValue.object()
                .put("device", device)
                .put("precision", precision)
                .put("xla", isCompiled)
                .put("inter_threads", (long) inter)
                .put("intra_threads", (long) intra)
                .put("batch", (long) workload.batch(suite))
                .build();
    }

    private JsonValue requested() {
        TfWorkload.Runtime runtime = workload.runtime();
        return setting(
                KeyNames.constant(runtime.device()),
                KeyNames.constant(workload.train().precision()),
                workload.xla(suite),
                runtime.interThreads(),
                runtime.intraThreads());
    }

    private JsonValue actual() {
        return setting(
                plan.isGpu() ? "gpu" : "cpu",
                plan.precision().toLowerCase(Locale.ROOT),
                plan.isCompiled(),
                plan.interThreads(),
                plan.intraThreads());
    }

    private JsonValue about(LocatedJson probe) {
        LocatedJson built = runs.get(0).built.orElseThrow();
        return JsonValue.object()
                .put("schema_version", SuiteArtifacts.FRAMEWORK.version())
                .put("label", workload.label())
                .put("family", KeyNames.constant(workload.family()))
                .put("requested", requested())
                .put("actual", actual())
                .put("substitutions", JsonValue.strings(plan.substitutions()))
                .put("tensorflow", built.get("tensorflow").asString())
                .put("engine", plan.engine().name() + " " + plan.engine().version())
                .put("parameters", runs.get(0).parameters())
                .put("processes", (long) runs.size())
                .put("build_ns", built.get("build_ns").asLong())
                .put("first_step_ns", runs.get(0).steps.get(0).wallNs())
                .put(
                        "loss_sha256",
                        JsonValue.strings(
                                runs.stream().map(FrameworkRun::lossHash).toList()))
                .put(
                        "peak_bytes",
                        runs.stream().mapToLong(FrameworkRun::peakBytes).max().orElse(0))
                .put("probe_flops_per_ns", probe.get("flops_per_ns").asDouble())
                .put("probe_bytes_per_ns", probe.get("bytes_per_ns").asDouble())
                .put("array", bench.array().toString())
                .put("clock_ghz", bench.clockGhz())
                .put("accounting", accounting.json())
                .build();
    }
}
