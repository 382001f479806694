package dev.stagesim.stage.workload;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Report;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.serving.tables.RequestTables;
import dev.stagesim.serving.workload.ClosedLoopDocument;
import dev.stagesim.sim.workload.Labels;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.sim.workload.SharedTokens;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stats.Quantiles;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/** Writes a serving workload's artifacts: prompts, lengths, intervals, summary. */
record ServingWriter(StageContext context) {
    void write(GeneratedRequests made) throws IOException {
        made.document().truncation().ifPresent(context::warn);
        made.remarks().forEach(context::warn);
        made.notes().forEach(context::notice);
        Path out = context.out();
        RequestTable requests = made.requests();
        RequestTables.lengths(out, requests.size(), made::promptId, requests::prefill, requests::decode);
        RequestTables.intervals(out, requests.size(), requests::arrivalNs);
        if (made.tokens().isPresent()) {
            tokens(out, made.requests().size(), made.tokens().get());
        }
        if (made.labels().isPresent()) {
            labels(out, made.labels().get());
        }
        prompts(out, made);
        Json.writeDocument(out, made.document());
        if (requests.closedLoop().isPresent()) {
            Json.writeDocument(out, ClosedLoopDocument.of(requests.closedLoop().get()));
        }
        Json.writeDocument(out, conditions(requests, made.document()));
        ServingFigures figures = ServingFigures.of(made.requests());
        figures.headlines().forEach(context::headline);
        figures.report(made).summary(out);
    }

    private static RunConditions conditions(RequestTable requests, WorkloadDocument document) {
        Optional<WorkloadDocument> made = Optional.of(document);
        return new RunConditions(
                "",
                "",
                "",
                "",
                ConditionText.workload(requests.size(), requests::prefill, requests::decode, made),
                ConditionText.load(made),
                ConditionText.seeds(made),
                document.maxTokens().map(limit -> limit + " tokens").orElse(""),
                document.truncation().stream().toList(),
                List.of(),
                List.of());
    }

    private static void tokens(Path out, int requests, SharedTokens tokens) throws IOException {
        try (TableWriter table = TableWriter.in(out, Tables.TRACE_TOKENS)) {
            for (int i = 0; i < requests; i++) {
                for (int run = tokens.begin(i); run < tokens.end(i); run++) {
                    table.put((long) i).put(tokens.first(run)).put((long) tokens.count(run));
                    table.endRow();
                }
            }
        }
    }

    private static void labels(Path out, Labels labels) throws IOException {
        try (TableWriter table = TableWriter.in(out, Tables.TRACE_LABELS)) {
            for (int i = 0; i < labels.adapters().length; i++) {
                table.put((long) i).put((long) labels.adapters()[i]).put((long) labels.priorities()[i]);
                table.endRow();
            }
        }
    }

    /** Writes one JSON object per line with sorted keys, and the text if there is one. */
    private static void prompts(Path out, GeneratedRequests made) throws IOException {
        RequestTable requests = made.requests();
        Optional<TraceRows> texts = made.texts();
        try (BufferedWriter lines = Files.newBufferedWriter(out.resolve("prompts.jsonl"))) {
            for (int i = 0; i < requests.size(); i++) {
                lines.write("{\"num_prefill_tokens\":" + requests.prefill(i));
                if (texts.isPresent() && requests.row(i) >= 0) {
                    lines.write(",\"prompt\":" + quoted(texts.get().text(requests.row(i))));
                }
                lines.write(",\"prompt_id\":" + quoted(made.promptId(i)) + ",\"request_id\":" + i + "}\n");
            }
        }
    }

    private static String quoted(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                return Json.compact(JsonValue.of(text));
            }
        }
        return '"' + text + '"';
    }

    /** Summary statistics of a serving workload. */
    private record ServingFigures(int requests, double durationSeconds, double qps, Tokens prefill, Tokens decode) {
        /** Statistics of the tokens per request. */
        record Tokens(double mean, double p50, double p99, double max) {
            private static Tokens of(int size, IntUnaryOperator tokens) {
                double[] sorted = Quantiles.sortedLengths(size, tokens);
                return new Tokens(
                        (double) IntStream.range(0, size)
                                        .mapToLong(tokens::applyAsInt)
                                        .sum()
                                / size,
                        Quantiles.ofSorted(sorted, 0.5),
                        Quantiles.ofSorted(sorted, 0.99),
                        sorted[size - 1]);
            }
        }

        /**
         * Returns the statistics of at least one request. The rate is the number of inter-arrival times divided by their sum; 0
         * without inter-arrival times.
         */
        static ServingFigures of(RequestTable requests) {
            int size = requests.size();
            double last = requests.arrivalNs(size - 1) / NS_PER_S;
            double span = (requests.arrivalNs(size - 1) - requests.arrivalNs(0)) / NS_PER_S;
            return new ServingFigures(
                    size,
                    last,
                    span > 0 ? (size - 1) / span : 0,
                    Tokens.of(size, requests::prefill),
                    Tokens.of(size, requests::decode));
        }

        Map<String, Double> headlines() {
            Map<String, Double> headlines = new LinkedHashMap<>();
            headlines.put("num_requests", (double) requests);
            headlines.put("prefill_tokens_mean", prefill.mean());
            headlines.put("decode_tokens_mean", decode.mean());
            headlines.put("duration_s", durationSeconds);
            if (qps > 0) {
                headlines.put("qps", qps);
            }
            return headlines;
        }

        Report report(GeneratedRequests made) {
            DataTable tokens = new DataTable("Tokens per request").columns("tokens", "#mean", "#P50", "#P99", "#max");
            row(tokens, "prompt", prefill);
            row(tokens, "output", decode);
            String rate = qps > 0 ? format("%.4g requests/s between first and last arrival", qps) : "all at once";
            String times = made.requests()
                    .closedLoop()
                    .map(limit -> limit + "; the simulator or the client sets the times of entry")
                    .orElse(format("the last arrives after %.3f s; ", durationSeconds) + rate);
            return new Report("Workload")
                    .answer(requests + " requests; " + times + ".")
                    .prose("Lengths: " + made.document().lengths() + ". Arrivals: "
                            + made.document().arrivals() + ". Seed "
                            + made.document().seed() + ".")
                    .prose("Truncated:", made.document().truncation().orElse(""))
                    .table(tokens)
                    .items(made.notes())
                    .items(made.remarks());
        }

        private static void row(DataTable table, String name, Tokens tokens) {
            table.row(
                    name,
                    format("%.2f", tokens.mean()),
                    format("%.1f", tokens.p50()),
                    format("%.1f", tokens.p99()),
                    format("%.0f", tokens.max()));
        }

        private static String format(String pattern, Object... values) {
            return String.format(Locale.ROOT, pattern, values);
        }
    }
}
