package dev.stagesim.feature.mock;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.RunConditions;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Charts;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Layer.Marks;
import dev.stagesim.report.Layer.Style;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.report.TimeScale;
import dev.stagesim.serving.tables.RequestTables;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** Writes the tables, metrics and report of a server: its requests as a workload and as a simulated run, and the send delays. */
record ServerRunFiles(
        ServeMockSettings settings,
        MemoryPlan plan,
        ServerReport report,
        RunConditions conditions,
        StageContext context) {
    private static final List<String> OPTIONAL = List.of("e2e_time_ns", "e2e_time_normalized_ns", "tpot_ns");

    /** P99 send delay that causes a warning. */
    private static final double WARNING_DELAY_NS = 5e6;

    void write() throws IOException {
        if (!report.served().isEmpty()) {
            requestMetrics();
            List<RequestOutcome> all = report.served();
            RequestTables.lengths(
                    context.out(), all.size(), i -> "served", i -> all.get(i).promptTokens(), i -> all.get(i)
                            .requestedTokens());
            RequestTables.intervals(context.out(), all.size(), i -> all.get(i).arrivalNs());
            servedMetrics();
        }
        ReportBuilder builder = new ReportBuilder(settings, plan, report, conditions);
        headlines(builder);
        builder.build().write(context.out());
    }

    private Path file(String name) {
        return context.out().resolve(name);
    }

    private void requestMetrics() throws IOException {
        try (TableWriter rows =
                TableWriter.create(file(Tables.REQUEST_METRICS.name()), Tables.REQUEST_METRICS, OPTIONAL)) {
            for (RequestOutcome request : report.served()) {
                rows.put(request.number()).put(request.arrivalNs());
                boolean hasTokens = request.generatedTokens() > 0;
                rows.putIf(hasTokens, request.firstNs());
                rows.putIf(hasTokens, request.firstNs() - request.arrivalNs());
                rows.putIf(request.isComplete(), request.lastNs());
                rows.put((long) request.promptTokens())
                        .put((long) request.requestedTokens())
                        .put((long) request.generatedTokens());
                rows.put(status(request).text());
                Requests.writeLatencies(
                        rows,
                        request.isComplete(),
                        request.arrivalNs(),
                        request.firstNs(),
                        request.lastNs(),
                        request.generatedTokens());
                rows.endRow();
            }
        }
    }

    private static RequestStatus status(RequestOutcome request) {
        if (request.isComplete()) {
            return RequestStatus.COMPLETED;
        }
        return request.ending() == RequestOutcome.Ending.DISCONNECTED
                ? RequestStatus.CANCELLED
                : RequestStatus.UNFINISHED;
    }

    private void servedMetrics() throws IOException {
        TableWriter.write(context.out(), MeasuredTables.SERVED_METRICS, report.served(), (rows, request) -> {
            rows.put(request.number()).put(request.clientId());
            rows.putUnlessNegative(request.firstTokenDelayNs()).putUnlessNegative(request.maxDelayNs());
        });
    }

    private void headlines(ReportBuilder builder) {
        DelayHistogram delays = report.delays();
        context.headline("requests", report.served().size());
        context.headline("requests_answered", builder.count(RequestOutcome.Ending.DONE));
        context.headline("requests_left_by_client", builder.count(RequestOutcome.Ending.DISCONNECTED));
        context.headline("requests_refused", builder.rejected());
        context.headline("tokens", delays.count());
        context.headline("elapsed_s", report.elapsedNs() / NS_PER_S);
        if (delays.count() > 0) {
            context.headline("late_p99_ms", delays.quantileNs(0.99) / NS_PER_MS);
        }
        if (builder.ttft().length > 0) {
            context.headline("ttft_p50_ms", Quantiles.of(builder.ttft(), 0.5) / NS_PER_MS);
        }
        if (builder.tpot().length > 0) {
            context.headline("tpot_p50_ms", Quantiles.of(builder.tpot(), 0.5) / NS_PER_MS);
        }
        if (delays.quantileNs(0.99) > WARNING_DELAY_NS) {
            context.warn(String.format(
                    Locale.ROOT,
                    "this machine is too slow: tokens were sent up to %.1f ms (P99) after their simulated time",
                    delays.quantileNs(0.99) / NS_PER_MS));
        }
    }

    /** Builds the report: requests, simulated latency and send delays. */
    private record ReportBuilder(
            ServeMockSettings settings, MemoryPlan plan, ServerReport report, RunConditions conditions) {
        long count(RequestOutcome.Ending ending) {
            return report.served().stream().filter(s -> s.ending() == ending).count();
        }

        long rejected() {
            return report.refused().values().stream().mapToLong(Long::longValue).sum();
        }

        private double[] values(int minTokens, ToDoubleFunction<RequestOutcome> metric) {
            return report.served().stream()
                    .filter(s -> s.isComplete() && s.generatedTokens() >= minTokens)
                    .mapToDouble(metric)
                    .sorted()
                    .toArray();
        }

        double[] ttft() {
            return values(1, s -> s.firstNs() - s.arrivalNs());
        }

        double[] tpot() {
            return values(2, s -> (double) (s.lastNs() - s.firstNs()) / (s.generatedTokens() - 1));
        }

        Report build() {
            DelayHistogram delays = report.delays();
            Report out = new Report("Mock server: " + settings.model().name() + " on "
                            + settings.hardware().name() + ", simulated")
                    .answer(summary())
                    .conditions(conditions)
                    .card("Requests", Numbers.count(report.served().size()))
                    .card("Tokens", Numbers.count(delays.count()))
                    .card("Maximum connections", Numbers.count(report.maxConnections()))
                    .card("KV blocks per replica", Numbers.count(plan.numBlocks()));
            if (delays.count() > 0) {
                out.card("Send delay, P99", ms(delays.quantileNs(0.99)));
            }
            if (!report.served().isEmpty()) {
                latency(out.section("latency", "Simulated latency").table(times()));
            }
            out.section("late", "Send delay")
                    .lead(
                            delays.count() == 0
                                    ? "No token was sent."
                                    : "From the simulated time of a token until the server sent it: P50 "
                                            + ms(delays.quantileNs(0.5)) + ", P99 " + ms(delays.quantileNs(0.99))
                                            + ", maximum "
                                            + ms(delays.maxNs())
                                            + ". A client measures the simulated latency, this delay and the network delay.");
            if (!report.refused().isEmpty()) {
                DataTable table = new DataTable("Error responses").columns("HTTP status", "#times");
                report.refused().forEach((status, times) -> table.row(String.valueOf(status), Numbers.count(times)));
                out.section("refused", "Rejected requests").table(table);
            }
            return out.footer(
                    "Stagesim · serve_mock. Latencies are simulated; request_metrics.csv contains one row per request.");
        }

        private static String ms(long ns) {
            return String.format(Locale.ROOT, "%.2f", ns / NS_PER_MS) + Numbers.SPACE + "ms";
        }

        private void latency(Report out) {
            chart(out, "ttft", "Time to first token", ttft());
            chart(out, "tpot", "Time per output token", tpot());
            out.charts(ttftOverTime());
            double[] first = report.served().stream()
                    .filter(s -> s.firstTokenDelayNs() >= 0)
                    .mapToDouble(RequestOutcome::firstTokenDelayNs)
                    .sorted()
                    .toArray();
            chart(out, "late", "Send delay of first tokens", first);
        }

        private static void chart(Report out, String name, String title, double[] sorted) {
            if (sorted.length > 0) {
                String what = "Cumulative distribution: " + title.toLowerCase(Locale.ROOT);
                out.charts(Charts.times(name, title, what, sorted));
            }
        }

        private Chart ttftOverTime() {
            List<RequestOutcome> complete = new ArrayList<>();
            List<RequestOutcome> incomplete = new ArrayList<>();
            for (RequestOutcome request : report.served()) {
                (request.isComplete() ? complete : incomplete).add(request);
            }
            Charts.Subject subject = new Charts.Subject(
                    "ttft-over-time",
                    "Time to first token over the run",
                    "Simulated time to first token by arrival; requests without a token are at the bottom",
                    "TTFT (ms)",
                    "complete",
                    "incomplete");
            return Charts.scatter(
                    subject, "arrival (s)", marks(Style.FIRST, complete), marks(Style.SECOND, incomplete));
        }

        private static Marks marks(Style style, List<RequestOutcome> served) {
            return Charts.marks(
                    style,
                    served,
                    s -> s.arrivalNs() / NS_PER_S,
                    s -> s.firstNs() < 0 ? 0 : (s.firstNs() - s.arrivalNs()) / NS_PER_MS,
                    s -> "request " + s.number() + (s.clientId().isEmpty() ? "" : " (" + s.clientId() + ")") + ", "
                            + s.generatedTokens() + " of " + s.requestedTokens() + " tokens");
        }

        private String summary() {
            return Numbers.count(report.served().size()) + (report.served().size() == 1 ? " request" : " requests")
                    + " in "
                    + Numbers.significant(report.elapsedNs() / NS_PER_S, 4) + " s: "
                    + Numbers.count(count(RequestOutcome.Ending.DONE)) + " completed, "
                    + Numbers.count(count(RequestOutcome.Ending.DISCONNECTED)) + " cancelled by their clients, "
                    + Numbers.count(count(RequestOutcome.Ending.UNFINISHED)) + " unfinished. "
                    + Numbers.count(rejected()) + " rejected. At most " + Numbers.count(report.maxConnections())
                    + " simultaneous connections.";
        }

        private DataTable times() {
            DataTable times = new DataTable("Simulated latency").columns("metric", "#n", "#P50", "#P90", "#P99");
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
