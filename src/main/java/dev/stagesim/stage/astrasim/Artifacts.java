package dev.stagesim.stage.astrasim;

import dev.stagesim.contract.AstraTables;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.Count;
import dev.stagesim.report.Report;
import dev.stagesim.sim.collective.Compat;
import dev.stagesim.sim.collective.NpuStatistics;
import dev.stagesim.sim.collective.SimulationResult;
import dev.stagesim.sim.network.Unmatched;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.astrasim.AstraSimSettings.SimulationKeys;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Writes what a run leaves behind. */
record Artifacts(
        AstraSimSettings settings, Machine machine, SimulationResult result, Recorder recorder, StageContext context) {
    /** File with the reference's own lines. */
    static final String NATIVE = "native.log";

    /**
     * Writes everything.
     *
     * @param traces different traces among the NPUs
     * @param nsPerDuration ns that a unit of a duration stands for
     */
    void write(int traces, long nsPerDuration) throws IOException {
        Path out = context.out();
        SimulationKeys keys = settings.simulation();
        Figures figures = new Figures(result, result.isStopped());
        TableFiles tables = new TableFiles(out);
        tables.npus(result);
        NodeLog log = recorder.nodes();
        log.close(result.representatives());
        if (log.npus() > 0) {
            timelines(tables, log, keys, out);
        }
        if (!result.links().isEmpty()) {
            tables.links(result.links(), figures);
        }
        if (keys.matrix() && recorder.matrix().isPresent()) {
            tables.matrix(recorder.matrix().get());
        }
        try (Writer writer = Files.newBufferedWriter(out.resolve(NATIVE))) {
            NativeLog.write(result, settings.compat(), writer);
        }
        unclaimed();
        recorder.excess(result, figures.duration()).ifPresent(context::warn);
        if (result.isStopped()) {
            stopped(tables, figures);
        } else if (keys.stopAtNs().isPresent()) {
            context.warn("simulation.stop_at_ns=" + keys.stopAtNs().get() + " changed nothing: all NPUs were done at "
                    + figures.duration() + " ns");
        }
        AstraSummary summary =
                new AstraSummary(settings, machine, result, figures, recorder.rates(), traces, nsPerDuration);
        RunConditions conditions = summary.conditions();
        Json.writeDocument(out, conditions);
        if (settings.compat() == Compat.NONE && recorder.rates().reduces()) {
            machine.memoryLimit().ifPresent(context::warn);
        }
        Report report = summary.report(conditions, log, recorder.matrix().filter(matrix -> matrix.size() > 0));
        Files.writeString(out.resolve("summary.md"), report.markdown());
        if (keys.report()) {
            Files.writeString(out.resolve("report.html"), report.html());
        }
        figures.headlines().forEach(context::headline);
        if (!recorder.rates().isEmpty()) {
            context.headline("algorithm_bandwidth_gbs", recorder.rates().algorithmBandwidth());
            context.headline("bus_bandwidth_gbs", recorder.rates().busBandwidth());
        }
    }

    private void timelines(TableFiles tables, NodeLog log, SimulationKeys keys, Path out) throws IOException {
        tables.nodes(log);
        tables.exposed(log);
        boolean isCut =
                keys.traceEvents() > 0 && PerfettoWriter.write(out.resolve("trace.json"), log, keys.traceEvents());
        if (isCut) {
            context.warn("trace.json ends after simulation.trace_events=" + keys.traceEvents() + " nodes");
        }
    }

    /** Messages that nobody asked for are lost in the reference without a word. */
    private void unclaimed() {
        if (result.unclaimed().isEmpty() || result.isStopped()) {
            return;
        }
        Unmatched first = result.unclaimed().get(0);
        long count = result.unclaimed().stream().mapToLong(Unmatched::count).sum();
        context.warn(Count.of(count, "message") + " arrived and nobody asked for them, first "
                + first.bytes() + " bytes from NPU " + first.source() + " to NPU " + first.destination() + " with tag "
                + first.tag());
    }

    private void stopped(TableFiles tables, Figures figures) throws IOException {
        int left = figures.npus() - figures.finished();
        context.warn("stopped at simulation.stop_at_ns: " + left + " of " + figures.npus() + " NPUs were not done; "
                + AstraTables.WAITING.name() + " says what they were doing");
        context.headline("stopped_at_ns", figures.duration());
        if (result.stuck().isPresent()) {
            tables.waiting(result.stuck().get());
        }
    }

    /** The lines that the reference prints about a run, in its order and words, without the time stamps of the log. */
    private static final class NativeLog {
        private static final int HUNDRED = 100;

        private final SimulationResult result;
        private final Compat compat;
        private final Writer out;
        private Optional<NpuStatistics> known = Optional.empty();
        private List<String> its = List.of();

        private NativeLog(SimulationResult result, Compat compat, Writer out) {
            this.result = result;
            this.compat = compat;
            this.out = out;
        }

        static void write(SimulationResult result, Compat compat, Writer out) throws IOException {
            NativeLog log = new NativeLog(result, compat, out);
            for (int npu : result.finishOrder()) {
                log.npu(npu);
            }
            if (compat != Compat.ASTRA_2023) {
                log.line("[system] [warning] Exiting");
            }
        }

        private void npu(int npu) throws IOException {
            String name = "sys[" + npu + "]";
            String finished = name + " finished, " + result.finishNs()[npu] + " cycles";
            if (compat == Compat.ASTRA_2023) {
                line(finished);
                return;
            }
            String exposed = Long.toUnsignedString(result.exposedNs()[npu]);
            line("[workload] [info] " + finished + ", exposed communication " + exposed + " cycles.");
            // NPUs that one stood in for have the same statistics, which are put into words once.
            if (its.isEmpty() || !result.statistics().get(npu).equals(known)) {
                known = result.statistics().get(npu);
                its = statistics(known);
            }
            for (String text : its) {
                out.append("[statistics] [info] ").append(name).append(text).append('\n');
            }
        }

        private static List<String> statistics(Optional<NpuStatistics> known) {
            List<String> lines = new ArrayList<>();
            lines.add(". Post statistics processing start.");
            if (known.isEmpty() || !known.get().isReference()) {
                return lines;
            }
            NpuStatistics figures = known.get();
            lines.add(". Post statistics processing end.");
            lines.add(", Wall time: " + figures.wallNs());
            figures.gpuNs().ifPresent(ns -> lines.add(", GPU time: " + ns));
            figures.commNs().ifPresent(ns -> lines.add(", Comm time: " + ns));
            if (figures.overlapNs() > 0) {
                lines.add(", Total compute-communication overlap: " + figures.overlapNs());
            }
            figures.roofline().ifPresent(use -> {
                lines.add(", Compute bound percentage: " + percent(use.computeBound()));
                lines.add(", Average compute utilization: " + percent(use.compute()));
                lines.add(", Average memory utilization: " + percent(use.memory()));
                lines.add(", Average operation intensity: " + String.format(Locale.ROOT, "%.3f", use.intensity()));
            });
            return lines;
        }

        private static String percent(double share) {
            return String.format(Locale.ROOT, "%.3f%%", share * HUNDRED);
        }

        private void line(String text) throws IOException {
            out.append(text).append('\n');
        }
    }
}
