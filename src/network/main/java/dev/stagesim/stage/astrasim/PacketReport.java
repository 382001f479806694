package dev.stagesim.stage.astrasim;

import dev.stagesim.report.Axis;
import dev.stagesim.report.Chart;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Layer;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.TimeScale;
import dev.stagesim.sim.network.packet.PacketTotals;
import dev.stagesim.sim.network.packet.topology.PacketTopology;
import dev.stagesim.sim.network.packet.topology.PortUse;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.Comparator;
import java.util.DoubleSummaryStatistics;
import java.util.List;

/** Report of a packet run: relevance of the packet level, busy ports, queues, pauses, and slowdowns of flows. */
final class PacketReport {
    private static final int MAX_PORTS = 16;
    private static final int MAX_POINTS = 600;
    private static final double BYTES_PER_MB = 1e6;
    private static final double CLOSE = 0.05;

    private final NetworkPlan.Packet plan;
    private final PacketRecorder recorder;
    private final List<PortUse> ports;
    private final PacketTotals totals;
    private final List<PacketCounterparts.Row> rows;
    private final long duration;
    private final boolean isStopped;
    private final TimeScale scale;

    PacketReport(
            NetworkPlan.Packet plan,
            PacketFiles files,
            List<PacketCounterparts.Row> rows,
            long duration,
            boolean isStopped) {
        this.plan = plan;
        this.isStopped = isStopped;
        this.recorder = files.recorder();
        this.ports = files.ports();
        this.totals = files.network().totals();
        this.rows = rows;
        this.duration = duration;
        this.scale = TimeScale.fit(duration);
    }

    Report report() {
        Report report = new Report("Packets on " + plan.name())
                .answer(verdict())
                .prose(figures())
                .section("backends", "The same work on other backends")
                .table(backends());
        List<String> reasons = new PacketReasons(ports, totals, duration).list();
        if (!reasons.isEmpty()) {
            report.prose("Not modelled by the analytical networks:").items(reasons);
        }
        PacketTopology topology = plan.spec().topology();
        if (TopologyChart.isDrawable(topology)) {
            report.section("topology", "Topology")
                    .prose("Width shows the utilisation of the busier direction; the hottest, and cables that sent more"
                            + " than half of the time, in the second colour.")
                    .drawing(TopologyChart.draw(topology, ports, duration));
        }
        report.section("ports", "Hottest ports").table(tiers()).table(hottest());
        report.section("charts", "Slowdown of flows, queues over time, and load")
                .charts(charts());
        if (totals.pauseFrames() > 0) {
            report.section("pauses", "Pauses").table(pauses());
        }
        return report.footer("Stagesim · astra_sim · packet");
    }

    /** Decides whether the packet level matters: whether the closest analytical network deviates strongly. */
    private String verdict() {
        String time = scale.withUnit(duration) + " packet by packet; ";
        if (isStopped) {
            return time
                    + "the run was stopped there, and analytical networks, which would run to the end, are left out.";
        }
        List<PacketCounterparts.Row> others = rows.subList(1, rows.size());
        if (others.isEmpty()) {
            return time + "no analytical network runs this work.";
        }
        PacketCounterparts.Row closest =
                Collections.min(others, Comparator.comparingDouble(row -> Math.abs(row.relative())));
        PacketCounterparts.Row farthest =
                Collections.max(others, Comparator.comparingDouble(row -> Math.abs(row.relative())));
        if (Math.abs(farthest.relative()) <= CLOSE) {
            return time + "the analytical networks agree within 5 %.";
        }
        if (Math.abs(closest.relative()) <= CLOSE) {
            return time + "one analytical network agrees (" + describe(closest) + "), another does not ("
                    + describe(farthest) + ").";
        }
        return time + "the packet level matters here: the closest analytical network predicts "
                + Numbers.percent(100 * closest.relative()) + " (" + closest.name() + ").";
    }

    private static String describe(PacketCounterparts.Row row) {
        return row.name() + ": " + Numbers.percent(100 * row.relative());
    }

    private String figures() {
        double[] slowdowns = recorder.slowdowns();
        String median = slowdowns.length == 0
                ? ""
                : " The median flow takes " + Numbers.times(slowdowns[slowdowns.length / 2])
                        + " the time that its frames need on their way through an empty network, the slowest "
                        + Numbers.times(slowdowns[slowdowns.length - 1]) + ".";
        return Numbers.count(recorder.flows()) + " flows, " + Numbers.count(totals.marked()) + " marked frames, "
                + Numbers.count(totals.pauseFrames()) + " pause and resume frames, " + Numbers.count(totals.dropped())
                + " dropped, " + Numbers.count(totals.lost()) + " lost." + median;
    }

    private DataTable backends() {
        DataTable table = new DataTable("Duration on each backend")
                .columns("Backend", "#Duration (" + scale.unit() + ")", "#Against packet");
        return table.rows(
                rows,
                row -> List.of(
                        row.name(),
                        scale.text(row.durationNs()),
                        row.name().equals("packet") ? Numbers.NONE : Numbers.percent(100 * row.relative())));
    }

    private DataTable tiers() {
        DataTable table = new DataTable("Ports by what they join")
                .columns("From and to", "#Ports", "#Busy % on average", "#Busiest %", "#Sent (MB)");
        for (PortTier tier : PortTier.values()) {
            List<PortUse> those = ports.stream()
                    .filter(use -> tier.has(use, plan.spec().topology()))
                    .toList();
            if (!those.isEmpty()) {
                DoubleSummaryStatistics busy =
                        those.stream().mapToDouble(this::busyPercent).summaryStatistics();
                table.row(
                        tier.words(),
                        Numbers.count(those.size()),
                        Numbers.fixed(busy.getAverage(), 1),
                        Numbers.fixed(busy.getMax(), 1),
                        Numbers.fixed(those.stream().mapToLong(PortUse::bytes).sum() / BYTES_PER_MB, 1));
            }
        }
        return table;
    }

    private double busyPercent(PortUse use) {
        return duration == 0 ? 0 : Math.min(100, 100.0 * use.busyNs() / duration);
    }

    private static String name(PortUse use) {
        return (use.at().atSwitch() ? "switch " : "host ") + use.at().node() + " → "
                + use.at().peer();
    }

    private DataTable hottest() {
        DataTable table = new DataTable("Ports that sent longest")
                .columns(
                        "Port",
                        "#Busy %",
                        "#Frames",
                        "#Most waiting (bytes)",
                        "#Paused (" + scale.unit() + ")",
                        "#Marks",
                        "#Drops");
        ports.stream()
                .filter(use -> use.frames() > 0)
                .sorted(Comparator.comparingLong(PortUse::busyNs)
                        .reversed()
                        .thenComparingInt(use -> use.at().node())
                        .thenComparingInt(use -> use.at().port()))
                .limit(MAX_PORTS)
                .forEach(use -> table.row(
                        name(use),
                        Numbers.fixed(busyPercent(use), 1),
                        Numbers.count(use.frames()),
                        Numbers.count(use.maxWaiting()),
                        scale.text(use.pauses().ns()),
                        Numbers.count(use.marks()),
                        Numbers.count(use.drops())));
        return table;
    }

    private DataTable pauses() {
        DataTable table = new DataTable("Ports that were paused")
                .columns("Port", "#Pauses", "#Paused (" + scale.unit() + ")", "#Share %");
        ports.stream()
                .filter(use -> use.pauses().count() > 0)
                .sorted(Comparator.comparingLong((PortUse use) -> use.pauses().ns())
                        .reversed())
                .limit(MAX_PORTS)
                .forEach(use -> table.row(
                        name(use),
                        Numbers.count(use.pauses().count()),
                        scale.text(use.pauses().ns()),
                        Numbers.fixed(duration == 0 ? 0 : 100.0 * use.pauses().ns() / duration, 1)));
        return table;
    }

    private List<Chart> charts() {
        List<Chart> charts = new ArrayList<>();
        if (recorder.flows() > 0) {
            charts.add(slowdown());
        }
        if (recorder.samples() > 1) {
            charts.add(queues());
        }
        charts.add(load());
        return charts;
    }

    /** Ports of each kind by load. */
    private Chart load() {
        Chart chart = new Chart(
                "load",
                "Load of ports",
                "Share of ports that sent for at most each share of the time, by what they join.",
                new Axis("busy %", 0, 100, false),
                new Axis("share of ports at or below", 0, 1, false));
        for (PortTier tier : PortTier.values()) {
            double[] busy = ports.stream()
                    .filter(use -> tier.has(use, plan.spec().topology()))
                    .mapToDouble(this::busyPercent)
                    .sorted()
                    .toArray();
            if (busy.length > 0) {
                chart = chart.with(tier.words(), stairs(Layer.Style.values()[tier.ordinal()], busy, busy.length));
            }
        }
        return chart;
    }

    /** Cumulative distribution of sorted values at {@code points} points. */
    private static Layer.Line stairs(Layer.Style style, double[] sorted, int points) {
        double[] x = new double[points + 1];
        double[] y = new double[points + 1];
        x[0] = sorted[0];
        for (int i = 1; i <= points; i++) {
            int at = (int) ((long) i * sorted.length / points) - 1;
            x[i] = sorted[at];
            y[i] = (at + 1.0) / sorted.length;
        }
        return new Layer.Line(style, x, y, true);
    }

    private Chart slowdown() {
        double[] sorted = recorder.slowdowns();
        Layer.Line line = stairs(Layer.Style.FIRST, sorted, Math.min(MAX_POINTS, sorted.length));
        return new Chart(
                        "slowdown",
                        "Durations against an empty network",
                        "Share of flows at or below each ratio of their duration to their ideal duration.",
                        Axis.fit("duration over ideal duration", line.x()),
                        new Axis("share of flows at or below", 0, 1, false))
                .with("flows", line);
    }

    /** The fullest port and the fullest switch in each time slice. */
    private Chart queues() {
        double[] x = new double[MAX_POINTS];
        double[] port = new double[MAX_POINTS];
        double[] whole = new double[MAX_POINTS];
        Arrays.setAll(x, i -> scale.of((double) i * duration / MAX_POINTS));
        for (int i = 0; i < recorder.samples(); i++) {
            long[] sample = recorder.sample(i);
            int at = (int) Math.min(MAX_POINTS - 1, sample[0] * MAX_POINTS / Math.max(1, duration));
            whole[at] = Math.max(whole[at], sample[2] / 1e3);
            port[at] = Math.max(port[at], sample[3] / 1e3);
        }
        return new Chart(
                        "queues",
                        "Bytes that wait at switches",
                        "Most kilobytes that waited at one switch and at one port, over time.",
                        Axis.fromZero("time (" + scale.unit() + ")", x),
                        Axis.fromZero("kB", whole))
                .with("fullest switch", new Layer.Line(Layer.Style.FIRST, x, whole, true))
                .with("fullest port", new Layer.Line(Layer.Style.SECOND, x, port, true));
    }

    /** Both ends of a port's cable. */
    private enum PortTier {
        FROM_HOST("from hosts"),
        TO_HOST("to hosts"),
        BETWEEN("between switches");

        private final String words;

        PortTier(String words) {
            this.words = words;
        }

        String words() {
            return words;
        }

        boolean has(PortUse use, PacketTopology topology) {
            boolean toHost = !topology.switches().contains(use.at().peer());
            return this == (!use.at().atSwitch() ? FROM_HOST : toHost ? TO_HOST : BETWEEN);
        }
    }
}
