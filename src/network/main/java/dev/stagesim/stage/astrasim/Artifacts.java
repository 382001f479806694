package dev.stagesim.stage.astrasim;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.astra.AstraTables;
import dev.stagesim.io.astra.StatisticLines;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.Count;
import dev.stagesim.report.Report;
import dev.stagesim.sim.collective.result.NpuStatistics;
import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.Unmatched;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.astrasim.AstraSimSettings.SimulationKeys;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Writes the artifacts of a run. */
record Artifacts(
        AstraSimSettings settings,
        SystemInputs machine,
        SimulationResult result,
        Recorder recorder,
        StageContext context) {
    /** File with the reference's own lines. */
    static final String NATIVE = "native.log";

    /**
     * Writes all artifacts.
     *
     * @param traces number of distinct traces
     * @param nsPerDuration ns per unit of a duration
     */
    void write(int traces, long nsPerDuration) throws IOException {
        Path out = context.out();
        SimulationKeys keys = settings.simulation();
        RunMetrics figures = new RunMetrics(result, result.isStopped());
        TableFiles tables = new TableFiles(out);
        tables.npus(result);
        NodeLog log = recorder.nodes();
        log.close(result.symmetry().representatives());
        if (log.npus() > 0) {
            timelines(tables, log, keys, out);
        }
        if (!result.traffic().links().isEmpty()) {
            tables.links(result.traffic().links(), figures);
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
            context.warn("simulation.stop_at_ns=" + keys.stopAtNs().get() + " had no effect: all NPUs were done at "
                    + figures.duration() + " ns");
        }
        AstraSummary summary =
                new AstraSummary(settings, machine, result, figures, recorder.rates(), traces, nsPerDuration);
        RunConditions conditions = context.conditions(summary.conditions());
        Json.writeDocument(out, conditions);
        if (settings.compat() == AstraCompat.NONE && recorder.rates().reduces()) {
            machine.memoryLimit().ifPresent(context::warn);
        }
        Report report = summary.report(conditions, log, recorder.matrix().filter(matrix -> matrix.size() > 0));
        Files.writeString(out.resolve("summary.md"), report.markdown());
        if (keys.report()) {
            Files.writeString(out.resolve("report.html"), report.html());
        }
        headlines(figures);
    }

    private void headlines(RunMetrics metrics) {
        metrics.headlines().forEach(context::headline);
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
            context.notice("trace.json ends after simulation.trace_events=" + keys.traceEvents() + " nodes");
        }
    }

    /** Warns of messages without a receive; the reference drops them silently. */
    private void unclaimed() {
        if (result.traffic().unclaimed().isEmpty() || result.isStopped()) {
            return;
        }
        Unmatched first = result.traffic().unclaimed().get(0);
        long count = result.traffic().unclaimed().stream()
                .mapToLong(Unmatched::count)
                .sum();
        context.warn(Count.of(count, "message") + " arrived without a receive, first "
                + first.bytes() + " bytes from NPU " + first.source() + " to NPU " + first.destination() + " with tag "
                + first.tag());
    }

    private void stopped(TableFiles tables, RunMetrics figures) throws IOException {
        int left = figures.npus() - figures.finished();
        context.warn("stopped at simulation.stop_at_ns: " + left + " of " + figures.npus() + " NPUs were not done; "
                + AstraTables.WAITING.name() + " lists their state");
        context.headline("stopped_at_ns", figures.duration());
        if (result.stuck().isPresent()) {
            tables.waiting(result.stuck().get());
        }
    }

    /** The lines that the reference prints for a run, in its order and wording, without the time stamps of the log. */
    private static final class NativeLog {
        private final SimulationResult result;
        private final AstraCompat compat;
        private final Writer out;
        private Optional<NpuStatistics> known = Optional.empty();
        private List<String> lines = List.of();

        private NativeLog(SimulationResult result, AstraCompat compat, Writer out) {
            this.result = result;
            this.compat = compat;
            this.out = out;
        }

        static void write(SimulationResult result, AstraCompat compat, Writer out) throws IOException {
            NativeLog log = new NativeLog(result, compat, out);
            for (int npu : result.finishOrder()) {
                log.npu(npu);
            }
            if (compat != AstraCompat.ASTRA_2023) {
                log.line("[system] [warning] Exiting");
            }
        }

        private void npu(int npu) throws IOException {
            String name = "sys[" + npu + "]";
            String finished = name + " finished, " + result.finishNs()[npu] + " cycles";
            if (compat == AstraCompat.ASTRA_2023) {
                line(finished);
                return;
            }
            String exposed = Long.toUnsignedString(result.exposedNs()[npu]);
            line("[workload] [info] " + finished + ", exposed communication " + exposed + " cycles.");
            // The members of a class have equal statistics, which are formatted once.
            if (lines.isEmpty() || !result.statistics().get(npu).equals(known)) {
                known = result.statistics().get(npu);
                lines = statistics(known);
            }
            for (String text : lines) {
                out.append("[statistics] [info] ").append(name).append(text).append('\n');
            }
        }

        private static List<String> statistics(Optional<NpuStatistics> known) {
            List<String> lines = new ArrayList<>();
            lines.add(". Post statistics processing start.");
            Map<String, String> values = known.map(StatisticLines::of).orElse(Map.of());
            if (!values.isEmpty()) {
                lines.add(". Post statistics processing end.");
                values.forEach((label, value) -> lines.add(", " + label + ": " + value));
            }
            return lines;
        }

        private void line(String text) throws IOException {
            out.append(text).append('\n');
        }
    }
}
