package dev.stagesim.feature.mock;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.contract.MeasuredTables;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.TimeScale;
import dev.stagesim.report.chart.Chart;
import dev.stagesim.report.chart.Charts;
import dev.stagesim.report.chart.Layer.Marks;
import dev.stagesim.report.chart.Layer.Style;
import dev.stagesim.serving.RequestTables;
import dev.stagesim.sim.serving.MemoryPlan;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** The record of a server's run: its requests as a workload and as a simulated run, and what the server was like. */
record ServedFiles(
        ServeMockSettings settings,
        MemoryPlan plan,
        ServerReport report,
        RunConditions conditions,
        StageContext context) {
    private static final List<String> OPTIONAL = List.of("e2e_time_ns", "e2e_time_normalized_ns", "tpot_ns");

    /** Tokens later than this are worth a warning. */
    private static final double LATE_NS = 5e6;

    void write() throws IOException {
        if (!report.served().isEmpty()) {
            requests();
            List<Served> all = report.served();
            RequestTables.lengths(
                    context.out(), all.size(), i -> "served", i -> all.get(i).promptTokens(), i -> all.get(i)
                            .askedTokens());
            RequestTables.intervals(context.out(), all.size(), i -> all.get(i).arrivalNs());
            served();
        }
        ServedReport shown = new ServedReport(settings, plan, report, conditions);
        headlines(shown);
        shown.page().write(context.out());
    }

    private Path file(String name) {
        return context.out().resolve(name);
    }

    private void requests() throws IOException {
        try (TableWriter rows =
                TableWriter.create(file(Tables.REQUEST_METRICS.name()), Tables.REQUEST_METRICS, OPTIONAL)) {
            for (Served s : report.served()) {
                boolean whole = s.givenTokens() == s.askedTokens();
                rows.put(s.number()).put(s.arrivalNs());
                if (s.givenTokens() > 0) {
                    rows.put(s.firstNs()).put(s.firstNs() - s.arrivalNs());
                } else {
                    rows.putEmpty().putEmpty();
                }
                rows.putIf(whole, s.lastNs());
                rows.put((long) s.promptTokens()).put((long) s.askedTokens()).put((long) s.givenTokens());
                rows.put(status(s).text());
                derived(rows, s, whole);
                rows.endRow();
            }
        }
    }

    private static RequestStatus status(Served s) {
        if (s.givenTokens() == s.askedTokens()) {
            return RequestStatus.COMPLETED;
        }
        return s.ending() == Served.Ending.CLIENT_GONE ? RequestStatus.CANCELLED : RequestStatus.UNFINISHED;
    }

    private void served() throws IOException {
        try (TableWriter rows =
                TableWriter.create(file(MeasuredTables.SERVED_METRICS.name()), MeasuredTables.SERVED_METRICS)) {
            for (Served s : report.served()) {
                rows.put(s.number()).put(s.clientId());
                for (long late : new long[] {s.lateFirstNs(), s.lateMostNs()}) {
                    rows.putUnlessNegative(late);
                }
                rows.endRow();
            }
        }
    }

    private static void derived(TableWriter rows, Served s, boolean whole) throws IOException {
        if (!whole) {
            rows.putEmpty().putEmpty().putEmpty();
            return;
        }
        long all = s.lastNs() - s.arrivalNs();
        rows.put(all).put((double) all / s.givenTokens());
        rows.putIf(s.givenTokens() > 1, (double) (s.lastNs() - s.firstNs()) / (s.givenTokens() - 1));
    }

    private void headlines(ServedReport shown) {
        Lateness late = report.lateness();
        context.headline("requests", report.served().size());
        context.headline("requests_answered", shown.count(Served.Ending.DONE));
        context.headline("requests_left_by_client", shown.count(Served.Ending.CLIENT_GONE));
        context.headline("requests_refused", shown.refusals());
        context.headline("tokens", late.count());
        context.headline("elapsed_s", report.elapsedNs() / NS_PER_S);
        if (late.count() > 0) {
            context.headline("late_p99_ms", late.quantileNs(0.99) / NS_PER_MS);
        }
        if (shown.ttft().length > 0) {
            context.headline("ttft_p50_ms", Quantiles.of(shown.ttft(), 0.5) / NS_PER_MS);
        }
        if (shown.tpot().length > 0) {
            context.headline("tpot_p50_ms", Quantiles.of(shown.tpot(), 0.5) / NS_PER_MS);
        }
        if (late.quantileNs(0.99) > LATE_NS) {
            context.warn(String.format(
                    Locale.ROOT,
                    "this machine could not keep up: tokens were sent up to %.1f ms (P99) after their time",
                    late.quantileNs(0.99) / NS_PER_MS));
        }
    }

    /** What a server's run shows people: what was served, at which simulated speed, and how late the tokens were sent. */
    private record ServedReport(
            ServeMockSettings settings, MemoryPlan plan, ServerReport report, RunConditions conditions) {
        long count(Served.Ending ending) {
            return report.served().stream().filter(s -> s.ending() == ending).count();
        }

        long refusals() {
            return report.refused().values().stream().mapToLong(Long::longValue).sum();
        }

        private double[] values(int fewestTokens, ToDoubleFunction<Served> metric) {
            return report.served().stream()
                    .filter(s -> s.givenTokens() == s.askedTokens() && s.givenTokens() >= fewestTokens)
                    .mapToDouble(metric)
                    .sorted()
                    .toArray();
        }

        double[] ttft() {
            return values(1, s -> s.firstNs() - s.arrivalNs());
        }

        double[] tpot() {
            return values(2, s -> (double) (s.lastNs() - s.firstNs()) / (s.givenTokens() - 1));
        }

        Report page() {
            Lateness late = report.lateness();
            Report out = new Report("Served: " + settings.model().name() + " on "
                            + settings.hardware().name() + ", simulated")
                    .answer(opening())
                    .conditions(conditions)
                    .card("Requests", Numbers.count(report.served().size()))
                    .card("Tokens", Numbers.count(late.count()))
                    .card("Connections at a time", Numbers.count(report.mostConnections()))
                    .card("KV blocks of a replica", Numbers.count(plan.numBlocks()));
            if (late.count() > 0) {
                out.card("Tokens sent late, P99", ms(late.quantileNs(0.99)));
            }
            if (!report.served().isEmpty()) {
                latency(out.section("latency", "Simulated latency").table(times()));
            }
            out.section("late", "How late tokens were sent")
                    .lead(
                            late.count() == 0
                                    ? "No token was sent."
                                    : "From a token's simulated time to its being handed to the system: P50 "
                                            + ms(late.quantileNs(0.5)) + ", P99 " + ms(late.quantileNs(0.99))
                                            + ", at most "
                                            + ms(late.mostNs())
                                            + ". A client measures this on top of the simulated latency, and what the"
                                            + " way to it takes.");
            if (!report.refused().isEmpty()) {
                DataTable table = new DataTable("Answers that were errors").columns("HTTP status", "#times");
                report.refused().forEach((status, times) -> table.row(String.valueOf(status), Numbers.count(times)));
                out.section("refused", "Refused").table(table);
            }
            return out.footer(
                    "Stagesim · serve_mock. Latencies are those of the simulated service; request_metrics.csv has them"
                            + " all.");
        }

        private static String ms(long ns) {
            return String.format(Locale.ROOT, "%.2f", ns / NS_PER_MS) + Numbers.SPACE + "ms";
        }

        private void latency(Report out) {
            chart(out, "ttft", "Time to first token", ttft());
            chart(out, "tpot", "Time per output token", tpot());
            out.charts(overTheRun());
            double[] first = report.served().stream()
                    .filter(s -> s.lateFirstNs() >= 0)
                    .mapToDouble(Served::lateFirstNs)
                    .sorted()
                    .toArray();
            chart(out, "late", "First tokens, sent late", first);
        }

        private static void chart(Report out, String name, String title, double[] sorted) {
            if (sorted.length > 0) {
                String what = "Cumulative distribution: " + title.toLowerCase(Locale.ROOT);
                out.charts(Charts.times(name, title, what, sorted));
            }
        }

        private Chart overTheRun() {
            List<Served> whole = new ArrayList<>();
            List<Served> cut = new ArrayList<>();
            for (Served s : report.served()) {
                (s.givenTokens() == s.askedTokens() ? whole : cut).add(s);
            }
            Charts.Subject subject = new Charts.Subject(
                    "ttft-over-time",
                    "Time to first token over the run",
                    "Simulated time to first token of each request by its arrival; those without a token lie at the"
                            + " bottom",
                    "TTFT (ms)",
                    "all tokens given",
                    "cut short");
            return Charts.scatter(subject, "arrival (s)", marks(Style.FIRST, whole), marks(Style.SECOND, cut));
        }

        private static Marks marks(Style style, List<Served> served) {
            return Charts.marks(
                    style,
                    served,
                    s -> s.arrivalNs() / NS_PER_S,
                    s -> s.firstNs() < 0 ? 0 : (s.firstNs() - s.arrivalNs()) / NS_PER_MS,
                    s -> "request " + s.number() + (s.clientId().isEmpty() ? "" : " (" + s.clientId() + ")") + ", "
                            + s.givenTokens() + " of " + s.askedTokens() + " tokens");
        }

        private String opening() {
            return Numbers.count(report.served().size()) + (report.served().size() == 1 ? " request" : " requests")
                    + " in "
                    + Numbers.significant(report.elapsedNs() / NS_PER_S, 4) + " s: "
                    + Numbers.count(count(Served.Ending.DONE)) + " answered, "
                    + Numbers.count(count(Served.Ending.CLIENT_GONE)) + " left by their clients, "
                    + Numbers.count(count(Served.Ending.UNFINISHED)) + " under way at the end. "
                    + Numbers.count(refusals()) + " refused. At most " + Numbers.count(report.mostConnections())
                    + " connections at a time.";
        }

        private DataTable times() {
            DataTable times =
                    new DataTable("Times of the simulated service").columns("metric", "#n", "#P50", "#P90", "#P99");
            row(times, "TTFT", ttft());
            row(times, "TPOT", tpot());
            return times;
        }

        private static void row(DataTable table, String name, double[] values) {
            if (values.length == 0) {
                table.row(name, "0", Numbers.NONE, Numbers.NONE, Numbers.NONE);
                return;
            }
            TimeScale scale = TimeScale.fit(Quantiles.of(values, 0.5));
            table.row(
                    name + " (" + scale.unit() + ")",
                    Numbers.count(values.length),
                    scale.text(Quantiles.of(values, 0.5)),
                    scale.text(Quantiles.of(values, 0.9)),
                    scale.text(Quantiles.of(values, 0.99)));
        }
    }
}
