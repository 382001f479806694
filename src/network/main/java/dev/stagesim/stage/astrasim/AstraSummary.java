package dev.stagesim.stage.astrasim;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.astra.MemoryFiles;
import dev.stagesim.model.KeyNames;
import dev.stagesim.network.SystemSettings;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Drawing;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.TimeScale;
import dev.stagesim.sim.collective.procedure.CollectiveKind;
import dev.stagesim.sim.collective.result.NpuStatistics;
import dev.stagesim.sim.collective.result.SimulationResult;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * Summary of a run.
 *
 * @param traces number of distinct traces
 * @param nsPerDuration ns per unit of a duration
 */
record AstraSummary(
        AstraSimSettings settings,
        SystemInputs machine,
        SimulationResult result,
        RunMetrics figures,
        CollectiveRates rates,
        int traces,
        long nsPerDuration) {
    private static final int MAX_ROWS = 16;

    /** The main result in one sentence. */
    private String sentence() {
        int npus = figures.npus();
        int done = figures.finished();
        String last = Numbers.count(figures.duration()) + " cycles (" + time(figures.duration()) + ")";
        if (done < npus) {
            return Numbers.count(done) + " of " + Numbers.count(npus)
                    + " NPUs were done when the run was stopped after " + last + ".";
        }
        boolean isEven = figures.earliest() == figures.duration();
        return (isEven
                        ? "All " + Numbers.count(npus) + " NPUs finish after "
                        : "The last of " + Numbers.count(npus) + " NPUs finishes after ")
                + last
                + (isEven ? "." : ", the first after " + Numbers.count(figures.earliest()) + ".");
    }

    /** Explains how the time was spent. */
    private String split() {
        boolean leavesOut = result.isStopped() && machine.network() instanceof NetworkPlan.Packet;
        return parts() + (leavesOut ? " Analytical networks, which would run to the end, are left out." : "");
    }

    private String parts() {
        if (figures.finished() == 0) {
            return "Times of an NPU are summed up when it is done; waiting.csv lists the state of each.";
        }
        String which = figures.finished() < figures.npus() ? " that was done" : "";
        return "On average an NPU" + which + " computes "
                + Numbers.share(figures.percent(figures.meanCompute()), 1)
                + " of the time and communicates " + Numbers.share(figures.percent(figures.meanCommunication()), 1)
                + "; " + Numbers.share(figures.percent(figures.meanExposed()), 1)
                + " is communication that no computation hides.";
    }

    private static String time(double ns) {
        return TimeScale.fit(ns).withUnit(ns);
    }

    private DataTable time() {
        TimeScale scale = TimeScale.fit(figures.duration());
        String which = figures.finished() < figures.npus() ? " that were done" : "";
        DataTable table = new DataTable("Where the time goes, mean of the NPUs" + which)
                .columns("Part", "#Time (" + scale.unit() + ")", "#Share %");
        double compute = figures.meanCompute();
        double communication = figures.meanCommunication();
        double overlap = figures.meanOverlap();
        row(table, scale, "computation", compute);
        row(table, scale, "communication", communication);
        row(table, scale, "both at once", overlap);
        row(table, scale, "exposed communication", communication - overlap);
        row(table, scale, "neither", Math.max(0, figures.duration() - compute - communication + overlap));
        return table;
    }

    private void row(DataTable table, TimeScale scale, String name, double ns) {
        table.row(name, scale.text(ns), Numbers.fixed(figures.percent(ns), 1));
    }

    /** The first NPUs; consecutive NPUs with equal results share a row. */
    private DataTable npus() {
        TimeScale scale = TimeScale.fit(figures.duration());
        DataTable table = new DataTable("When NPUs finish")
                .columns("NPU", "#Finish (cycles)")
                .number("Exposed (cycles)", "Finish less computation, as the reference reports it")
                .columns("#Computation (" + scale.unit() + ")", "#Communication (" + scale.unit() + ")");
        int npus = figures.npus();
        int from = 0;
        while (from < npus && table.size() < MAX_ROWS) {
            int to = from + 1;
            List<String> cells = cells(from, scale);
            while (to < npus && (hasEqualResults(to, from) || cells(to, scale).equals(cells))) {
                to++;
            }
            List<String> row = new ArrayList<>();
            row.add(to == from + 1 ? Integer.toString(from) : from + "–" + (to - 1));
            row.addAll(cells);
            table.row(row.toArray(String[]::new));
            from = to;
        }
        if (from < npus) {
            table.row((npus - from) + " more", "", "", "", "");
        }
        return table;
    }

    /** True if two NPUs have identical results; cheaper than comparing their texts. */
    private boolean hasEqualResults(int a, int b) {
        return result.finishNs()[a] == result.finishNs()[b]
                && result.exposedNs()[a] == result.exposedNs()[b]
                && result.statistics().get(a).equals(result.statistics().get(b));
    }

    private List<String> cells(int npu, TimeScale scale) {
        boolean isDone = result.finishNs()[npu] >= 0;
        Optional<NpuStatistics> known = result.statistics().get(npu);
        return List.of(
                isDone ? Numbers.count(result.finishNs()[npu]) : Numbers.NONE,
                isDone ? Numbers.count(result.exposedNs()[npu]) : Numbers.NONE,
                known.map(some -> scale.text(some.gpuNs().orElse(0))).orElse(Numbers.NONE),
                known.map(some -> scale.text(some.commNs().orElse(0))).orElse(Numbers.NONE));
    }

    private DataTable links() {
        TimeScale scale = TimeScale.fit(figures.duration());
        DataTable table = new DataTable("Busiest links")
                .columns("Link", "#Dimension", "#Utilisation %", "#Bytes")
                .number(machine.network() instanceof NetworkPlan.Packet ? "Frames" : "Messages")
                .columns("#Waiting (" + scale.unit() + ")", "#Longest queue");
        return table.rows(
                figures.busiest(),
                link -> List.of(
                        device(link.from()) + " → " + device(link.to()),
                        Integer.toString(link.dimension()),
                        Numbers.fixed(100 * figures.utilization(link), 1),
                        Numbers.count(link.bytes()),
                        Numbers.count(link.messages()),
                        scale.text(link.waitingNs()),
                        Integer.toString(link.longestQueue())));
    }

    private String device(int device) {
        int npus = figures.npus();
        return device < npus ? "NPU " + device : "switch " + (device - npus);
    }

    private DataTable machineTable() {
        DataTable table = new DataTable("What was simulated").columns("Part", "Value");
        table.row(
                "NPUs", Numbers.count(figures.npus()) + ", " + traces + (traces == 1 ? " trace" : " different traces"));
        table.row("network", machine.network().words());
        machine.system()
                .names()
                .forEach((kind, names) ->
                        table.row(name(kind), names.isEmpty() ? Numbers.NONE : String.join(", ", names)));
        SystemSettings.Keys system = machine.system().keys();
        table.row(
                "chunks",
                system.scheduling().preferredDatasetSplits() + ", "
                        + system.scheduling().activeChunksPerDimension() + " at a time");
        table.row(
                "remote memory",
                MemoryFiles.spec(machine.memory())
                        .kind()
                        .name()
                        .toLowerCase(Locale.ROOT)
                        .replace('_', ' '));
        table.row("compat", KeyNames.constant(settings.compat()));
        table.row("unit of durations in traces", nsPerDuration == 1 ? "1 ns" : Numbers.count(nsPerDuration) + " ns");
        table.row("events", Numbers.count(result.traffic().events()));
        table.row("messages", Numbers.count(result.traffic().messages()));
        table.row("NPUs simulated one by one", symmetry());
        return table;
    }

    private String symmetry() {
        String note = result.symmetry().note().isEmpty()
                ? ""
                : "; " + result.symmetry().note();
        return Numbers.count(result.symmetry().simulatedNpus()) + note;
    }

    /** Conditions of the simulated times. */
    RunConditions conditions() {
        SystemSettings.Keys system = machine.system().keys();
        String algorithms = machine.system().names().entrySet().stream()
                .filter(entry -> !entry.getValue().isEmpty())
                .map(entry -> name(entry.getKey()) + " " + String.join(" and ", entry.getValue()))
                .collect(Collectors.joining(", "));
        String memory = system.compute().localMemBw() == 0
                ? "reductions without memory accesses"
                : "local memory " + Numbers.significant(system.compute().localMemBw(), 4) + " GB/s";
        return new RunConditions(
                "",
                Numbers.count(figures.npus()) + " NPUs, links up to "
                        + Numbers.significant(machine.network().fastestBytesPerNs(), 4) + " GB/s, " + memory,
                "ASTRA-sim model, compat " + KeyNames.constant(settings.compat()) + ", "
                        + system.scheduling().preferredDatasetSplits() + " chunks, "
                        + system.scheduling().activeChunksPerDimension()
                        + " at a time",
                machine.network().words() + "; " + algorithms,
                traces + (traces == 1 ? " trace" : " different traces"),
                "",
                "",
                "",
                List.of(),
                List.of(),
                notModelled());
    }

    private List<String> notModelled() {
        String library = "launches and protocols of a collective library";
        return rates.reduces()
                ? List.of(
                        library,
                        "reductions in switches (NVLS), which make large all-reduces up to 42 % faster: raise"
                                + " network.topology.bandwidth by that share to include them")
                : List.of(library);
    }

    private static String name(CollectiveKind kind) {
        return KeyNames.constant(kind).replace('_', '-');
    }

    /** The report. Charts are on its page only. */
    Report report(RunConditions conditions, NodeLog log, Optional<Matrix> matrix) {
        Report report = new Report("Collectives on a network of NPUs")
                .answer(sentence())
                .conditions(conditions)
                .prose(split());
        if (figures.finished() > 0) {
            report.section("time", "Where the time goes").table(time());
        }
        if (!rates.isEmpty()) {
            report.section("rates", "How fast collectives are").table(rates.table());
        }
        if (!log.isEmpty()) {
            int shown = TimelineChart.shown(log);
            String which = shown < figures.npus()
                    ? "The first " + shown + " of " + Numbers.count(figures.npus()) + " NPUs. "
                    : "";
            report.detail("timeline", "Timeline")
                    .prose(which + "trace.json contains the individual nodes, for the Perfetto UI.")
                    .drawing(TimelineChart.draw(log, figures.duration()));
        }
        matrix.ifPresent(some -> matrix(report, some));
        if (!figures.busiest().isEmpty()) {
            report.section("links", "Links").table(links());
        }
        report.section("npus", "NPUs").table(npus());
        report.section("machine", "What was simulated").table(machineTable());
        return report.footer("Stagesim · astra_sim");
    }

    private void matrix(Report report, Matrix matrix) {
        int perCell = MatrixChart.perCell(figures.npus());
        String cell = perCell == 1
                ? "A cell is a pair of NPUs"
                : "A cell is a pair of blocks of " + Numbers.count(perCell) + " NPUs";
        report.detail("matrix", "Communication matrix")
                .prose(cell + "; the stronger the colour, the more bytes go from the row to the column.")
                .drawing(MatrixChart.draw(matrix, figures.npus()));
    }

    /** Heat map of the bytes between NPUs; on large machines a cell aggregates several NPUs. */
    private static final class MatrixChart {
        private static final int MAX_CELLS = 64;
        private static final int MAX_TITLED = 2500;
        private static final int SIDE = 512;
        private static final int MAX_SIDE = 34;
        private static final int LEFT = 76;
        private static final int TOP = 52;
        private static final int LABELS = 8;

        private final int npus;
        private final int perCell;
        private final int cells;
        private final double side;
        private final long[][] bytes;
        private long max;

        private MatrixChart(Matrix matrix, int npus) {
            this.npus = npus;
            this.perCell = (npus + MAX_CELLS - 1) / MAX_CELLS;
            this.cells = (npus + perCell - 1) / perCell;
            this.side = Math.min(MAX_SIDE, Math.floor((double) SIDE / cells));
            this.bytes = new long[cells][cells];
            matrix.inAnyOrder((source, destination, messages, size) -> {
                long[] row = bytes[source / perCell];
                row[destination / perCell] += size;
                max = Math.max(max, row[destination / perCell]);
            });
        }

        static Markup draw(Matrix matrix, int npus) {
            return new MatrixChart(matrix, npus).draw();
        }

        private Markup draw() {
            int extent = (int) (cells * side);
            Drawing out = new Drawing(
                    Math.max(460, LEFT + extent + 30), TOP + extent + 50, "Bytes sent from each NPU to each other");
            out.text(LEFT + extent / 2.0, 16, "middle", "to NPU");
            out.text(LEFT - 8, TOP - 26, "end", "from NPU");
            out.newLine();
            labels(out);
            int titled = 0;
            for (int from = 0; from < cells; from++) {
                for (int to = 0; to < cells; to++) {
                    if (bytes[from][to] > 0) {
                        String title = titled++ < MAX_TITLED ? title(from, to) : "";
                        cell(
                                out,
                                LEFT + to * side,
                                TOP + from * side,
                                side - (side > 4 ? 1 : 0),
                                share(from, to),
                                title);
                    }
                }
                out.newLine();
            }
            out.line(LEFT, TOP, LEFT + extent, TOP, "", "class", "axis")
                    .line(LEFT, TOP, LEFT, TOP + extent, "", "class", "axis");
            scale(out, TOP + extent + 18);
            return out.build();
        }

        private static Drawing cell(Drawing out, double x, double y, double side, double share, String title) {
            return out.tint(x, y, side, side, title, "var(--s1)", share);
        }

        /** Minimum intensity of a cell with traffic, so that it stays visible. */
        private double share(int from, int to) {
            return 0.12 + 0.88 * bytes[from][to] / max;
        }

        private void labels(Drawing out) {
            int step = Math.max(1, (cells + LABELS - 1) / LABELS);
            for (int cell = 0; cell < cells; cell += step) {
                double middle = cell * side + side / 2;
                out.text(LEFT + middle, TOP - 8, "middle", Integer.toString(cell * perCell));
                out.text(LEFT - 8, TOP + middle + 4, "end", Integer.toString(cell * perCell));
            }
            out.newLine();
        }

        private void scale(Drawing out, int y) {
            cell(out, LEFT, y, 14, 0.12, "").text(LEFT + 20, y + 12, "start", "a little");
            cell(out, LEFT + 100, y, 14, 1, "")
                    .text(LEFT + 120, y + 12, "start", Numbers.count(max) + " bytes")
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

        /** Number of NPUs per cell. */
        static int perCell(int npus) {
            return (npus + MAX_CELLS - 1) / MAX_CELLS;
        }
    }
}
