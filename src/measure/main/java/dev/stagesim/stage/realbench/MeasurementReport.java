package dev.stagesim.stage.realbench;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Charts;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Layer.Marks;
import dev.stagesim.report.Layer.Style;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.TimeScale;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** The report of a measurement: results first, then method and origin. */
record MeasurementReport(Measurement measurement, MeasurementSummary summary) {
    private static final double MAX_COUNT = 1e12;
    private static final Map<String, String> TITLES =
            Map.of("ttft", "Time to first token", "tpot", "Time per output token", "e2e", "End to end");

    Report report(RunConditions conditions) {
        Report report = new Report(summary.title())
                .answer(capital(summary.contents()) + ".")
                .conditions(conditions);
        summary.headlines().forEach((name, value) -> card(report, name, value));
        if (!measurement.warnings().isEmpty()) {
            report.section("notes", "Caveats").items(measurement.warnings());
        }
        if (measurement.requests().size() > 0) {
            report.section("latency", "Latency").table(summary.times()).charts(charts());
        }
        if (!measurement.published().isEmpty()) {
            report.section("published", "Aggregates of the source").table(summary.published());
        }
        if (!measurement.operations().rows().isEmpty()) {
            report.section("operators", "Operators").table(summary.operators());
        }
        if (!measurement.operations().collectives().isEmpty()) {
            report.section("collectives", "Collectives").table(collectives());
        }
        if (!measurement.operations().steps().isEmpty()) {
            report.section("steps", "Steps of the engine")
                    .table(new EngineSteps(measurement.operations().steps()).table());
        }
        if (measurement.about().get("clock_noise").orElse(JsonValue.NULL) instanceof JsonValue.Obj noise
                && !noise.members().isEmpty()) {
            report.detail("client", "The client")
                    .lead("Delay that the client adds to every latency. Comparisons print it next to their errors.")
                    .table(client(noise));
        }
        report.section("source", "Source");
        measurement.about().members().forEach((name, value) -> {
            if (!name.equals("clock_noise")) {
                report.fact(capital(name.replace('_', ' ')), text(value));
            }
        });
        return report.footer("Stagesim · real_bench · format " + measurement.format() + ". Quantiles by "
                + Quantiles.METHOD + ". The tables in this directory contain all values.");
    }

    /** A headline value. The last word of its name is the unit. */
    private static void card(Report report, String name, double value) {
        boolean ms = name.endsWith("_ms");
        String words = (ms ? name.substring(0, name.length() - 3) : name).replace('_', ' ');
        boolean count = !ms && value == Math.rint(value) && Math.abs(value) < MAX_COUNT;
        String text = count ? Numbers.count(Math.round(value)) : Numbers.significant(value, 4);
        report.card(capital(words.replaceFirst(" p(\\d)", " P$1")), text + (ms ? Numbers.SPACE + "ms" : ""));
    }

    private static String capital(String text) {
        String first = text.replaceFirst(" .*", "");
        return TITLES.containsKey(first)
                ? first.toUpperCase(Locale.ROOT) + text.substring(first.length())
                : text.substring(0, 1).toUpperCase(Locale.ROOT) + text.substring(1);
    }

    private List<Chart> charts() {
        List<Chart> charts = new ArrayList<>();
        summary.samples().forEach((name, values) -> {
            if (values.length > 0) {
                String title = TITLES.getOrDefault(name, name);
                String what =
                        "Cumulative distribution of the " + title.toLowerCase(Locale.ROOT) + " of completed requests";
                charts.add(Charts.times(name, title, what, Quantiles.sorted(values)));
            }
        });
        charts.add(overTheRun());
        return charts;
    }

    private Chart overTheRun() {
        List<Request> done = new ArrayList<>();
        List<Request> ended = new ArrayList<>();
        for (Request r : measurement.requests().all()) {
            (r.completed() ? done : ended).add(r);
        }
        Charts.Subject subject = new Charts.Subject(
                "ttft-over-time",
                "Time to first token over the run",
                "Time to first token of each request by its arrival; incomplete requests are at the bottom",
                "TTFT (ms)",
                "completed",
                "did not complete");
        Marks first = marks(Style.FIRST, done);
        Marks second = marks(Style.SECOND, ended);
        return Charts.scatter(subject, "arrival (s)", first, second);
    }

    private static Marks marks(Style style, List<Request> requests) {
        return Charts.marks(
                style,
                requests,
                r -> r.arrival() / NS_PER_S,
                r -> r.first() < 0 ? 0 : (r.first() - r.arrival()) / 1e6,
                r -> r.promptId() + ": " + r.status().text() + ", " + r.actual() + " tokens");
    }

    private DataTable collectives() {
        DataTable table = new DataTable("Collectives by message size")
                .columns("collective", "#ranks", "#bytes", "buffers", "#time", "#bus bandwidth (GB/s)");
        measurement
                .operations()
                .collectives()
                .forEach(c -> table.row(
                        c.collective(),
                        Numbers.count(c.ranks()),
                        Numbers.count(c.bytes()),
                        c.inPlace() ? "in place" : "out of place",
                        TimeScale.fit(c.timeNs()).withUnit(c.timeNs()),
                        Numbers.fixed(c.busGbs(), 2)));
        return table;
    }

    private static DataTable client(JsonValue.Obj noise) {
        DataTable table = new DataTable("Delays of the client").columns("what", "#n", "#P50", "#P95", "#P99");
        row(table, noise, "send_delay", "delay of sending after the due time");
        row(table, noise, "wake_late", "wake-up of a sleeping thread");
        row(table, noise, "round_trip", "round trips without computation");
        return table;
    }

    private static void row(DataTable table, JsonValue.Obj noise, String name, String title) {
        if (noise.get(name + "_n").orElse(JsonValue.NULL) instanceof JsonValue.Int count) {
            table.row(
                    title,
                    Numbers.count(count.value()),
                    time(noise, name + "_p50_ns"),
                    time(noise, name + "_p95_ns"),
                    time(noise, name + "_p99_ns"));
        }
    }

    private static String time(JsonValue.Obj noise, String name) {
        return noise.get(name).orElse(JsonValue.NULL) instanceof JsonValue.Real value
                ? TimeScale.fit(Math.max(1, value.value())).withUnit(value.value())
                : Numbers.NONE;
    }

    private static String text(JsonValue value) {
        if (value instanceof JsonValue.Str text) {
            return text.value();
        }
        if (value instanceof JsonValue.Obj object) {
            List<String> parts = new ArrayList<>();
            object.members().forEach((name, member) -> parts.add(name + ": " + text(member)));
            return String.join("; ", parts);
        }
        return Json.compact(value);
    }
}
