package dev.stagesim.stage.astrasim;

import dev.stagesim.contract.AstraTables;
import dev.stagesim.model.Count;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Page;
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
final class Artifacts {
    /** File with the reference's own lines. */
    static final String NATIVE = "native.log";

    private final AstraSimSettings settings;
    private final Machine machine;
    private final SimulationResult result;
    private final Recorder recorder;
    private final StageContext context;

    Artifacts(
            AstraSimSettings settings,
            Machine machine,
            SimulationResult result,
            Recorder recorder,
            StageContext context) {
        this.settings = settings;
        this.machine = machine;
        this.result = result;
        this.recorder = recorder;
        this.context = context;
    }

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
        log.close(result.standIns());
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
        Files.writeString(out.resolve("summary.md"), summary.markdown());
        if (keys.report()) {
            String page = new AstraPage(summary, figures, log, recorder.matrix()).html();
            Files.writeString(out.resolve("report.html"), page);
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

    /** A run as one HTML page: the answer, a timeline, who talks to whom, the busiest links, and what was simulated. */
    private static final class AstraPage {
        private final AstraSummary summary;
        private final Figures figures;
        private final NodeLog log;
        private final Optional<Matrix> matrix;

        AstraPage(AstraSummary summary, Figures figures, NodeLog log, Optional<Matrix> matrix) {
            this.summary = summary;
            this.figures = figures;
            this.log = log;
            this.matrix = matrix.filter(some -> some.size() > 0);
        }

        String html() {
            Markup banner = new Markup().open("div", "class", "verdict");
            banner.leaf("p", summary.sentence(), "class", "word")
                    .leaf("p", summary.split())
                    .close();
            Page page = new Page("Collectives on a network of NPUs", banner);
            if (figures.finished() > 0) {
                page.section("time", "Where the time goes", summary.time().html());
            }
            summary.rates().ifPresent(rates -> page.section("rates", "How fast collectives are", rates.html()));
            if (!log.isEmpty()) {
                page.section("timeline", "Timeline", timeline());
            }
            matrix.ifPresent(some -> page.section("matrix", "Communication matrix", matrix(some)));
            if (!figures.busiest().isEmpty()) {
                page.section("links", "Links", summary.links().html());
            }
            page.section("npus", "NPUs", summary.npus().html());
            page.section("machine", "What was simulated", summary.machine().html());
            return page.footer("Stagesim · astra_sim").html();
        }

        private Markup timeline() {
            int shown = TimelineChart.shown(log);
            String which = shown < figures.npus()
                    ? "The first " + shown + " of " + Numbers.count(figures.npus()) + " NPUs. "
                    : "";
            Markup out = new Markup().leaf("p", which + "trace.json holds the nodes one by one, for the Perfetto UI.");
            return out.add(TimelineChart.draw(log, figures.duration()));
        }

        private Markup matrix(Matrix some) {
            Markup out = new Markup();
            int perCell = MatrixChart.perCell(figures.npus());
            String cell = perCell == 1
                    ? "A cell is a pair of NPUs"
                    : "A cell is a pair of blocks of " + Numbers.count(perCell) + " NPUs";
            out.leaf("p", cell + "; the stronger the colour, the more bytes go from the row to the column.");
            return out.add(MatrixChart.draw(some, figures.npus()));
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
            line("[workload] [info] " + finished + ", exposed communication " + result.exposedNs()[npu] + " cycles.");
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

    /** Bytes from NPU to NPU as a map; on large machines a cell stands for several NPUs. */
    private static final class MatrixChart {
        private static final int MOST_CELLS = 64;
        private static final int MOST_TITLED = 2500;
        private static final int SIDE = 512;
        private static final int MOST_SIDE = 34;
        private static final int LEFT = 76;
        private static final int TOP = 52;
        private static final int LABELS = 8;

        private final int npus;
        private final int perCell;
        private final int cells;
        private final double side;
        private final long[][] bytes;
        private long most;

        private MatrixChart(Matrix matrix, int npus) {
            this.npus = npus;
            this.perCell = (npus + MOST_CELLS - 1) / MOST_CELLS;
            this.cells = (npus + perCell - 1) / perCell;
            this.side = Math.min(MOST_SIDE, Math.floor((double) SIDE / cells));
            this.bytes = new long[cells][cells];
            matrix.forEach((source, destination, messages, size) -> {
                long[] row = bytes[source / perCell];
                row[destination / perCell] += size;
                most = Math.max(most, row[destination / perCell]);
            });
        }

        static Markup draw(Matrix matrix, int npus) {
            return new MatrixChart(matrix, npus).draw();
        }

        private Markup draw() {
            int extent = (int) (cells * side);
            Svg svg = new Svg(
                    Math.max(460, LEFT + extent + 30),
                    TOP + extent + 50,
                    "Bytes sent from each NPU to each other",
                    true);
            svg.text(LEFT + extent / 2.0, 16, "middle", "to NPU");
            svg.text(LEFT - 8, TOP - 26, "end", "from NPU");
            svg.newLine();
            labels(svg);
            int titled = 0;
            for (int from = 0; from < cells; from++) {
                for (int to = 0; to < cells; to++) {
                    if (bytes[from][to] > 0) {
                        String title = titled++ < MOST_TITLED ? title(from, to) : "";
                        svg.cell(
                                LEFT + to * side, TOP + from * side, side - (side > 4 ? 1 : 0), share(from, to), title);
                    }
                }
                svg.newLine();
            }
            svg.line("axis", LEFT, TOP, LEFT + extent, TOP).line("axis", LEFT, TOP, LEFT, TOP + extent);
            scale(svg, TOP + extent + 18);
            return svg.build();
        }

        /** Nothing is so little that it cannot be seen. */
        private double share(int from, int to) {
            return 0.12 + 0.88 * bytes[from][to] / most;
        }

        private void labels(Svg svg) {
            int step = Math.max(1, (cells + LABELS - 1) / LABELS);
            for (int cell = 0; cell < cells; cell += step) {
                double middle = cell * side + side / 2;
                svg.text(LEFT + middle, TOP - 8, "middle", Integer.toString(cell * perCell));
                svg.text(LEFT - 8, TOP + middle + 4, "end", Integer.toString(cell * perCell));
            }
            svg.newLine();
        }

        private void scale(Svg svg, int y) {
            svg.cell(LEFT, y, 14, 0.12, "").text(LEFT + 20, y + 12, "start", "a little");
            svg.cell(LEFT + 100, y, 14, 1, "")
                    .text(LEFT + 120, y + 12, "start", Numbers.count(most) + " bytes")
                    .newLine();
        }

        private String title(int from, int to) {
            return range(from) + " → " + range(to) + ": " + Numbers.count(bytes[from][to]) + " bytes";
        }

        private String range(int cell) {
            int first = cell * perCell;
            int last = Math.min(npus, first + perCell) - 1;
            return first == last ? "NPU " + first : "NPUs " + first + "–" + last;
        }

        /** NPUs that a cell stands for. */
        static int perCell(int npus) {
            return (npus + MOST_CELLS - 1) / MOST_CELLS;
        }
    }
}
