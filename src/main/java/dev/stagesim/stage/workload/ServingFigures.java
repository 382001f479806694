package dev.stagesim.stage.workload;

import dev.stagesim.report.Markdown;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.stats.Quantiles;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.function.IntUnaryOperator;

/** Figures that sum up a serving workload. */
record ServingFigures(int requests, double durationSeconds, double qps, Tokens prefill, Tokens decode) {
    private static final double NS_PER_SECOND = 1e9;

    /** Figures of a number of tokens a request. */
    record Tokens(double mean, double p50, double p99, double max) {
        private static Tokens of(int size, IntUnaryOperator tokens) {
            double[] sorted = new double[size];
            long sum = 0;
            for (int i = 0; i < size; i++) {
                sorted[i] = tokens.applyAsInt(i);
                sum += tokens.applyAsInt(i);
            }
            Arrays.sort(sorted);
            return new Tokens(
                    (double) sum / size,
                    Quantiles.ofSorted(sorted, 0.5),
                    Quantiles.ofSorted(sorted, 0.99),
                    sorted[size - 1]);
        }
    }

    /** Figures of at least one request. The rate counts the gaps between first and last arrival; 0 when there is none. */
    static ServingFigures of(RequestTable requests) {
        int size = requests.size();
        double last = requests.arrivalNs(size - 1) / NS_PER_SECOND;
        double span = (requests.arrivalNs(size - 1) - requests.arrivalNs(0)) / NS_PER_SECOND;
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

    String summary(Serving made) {
        StringBuilder out = new StringBuilder("# Workload\n\n");
        out.append(Markdown.escape(made.source())).append("\n\n");
        out.append(format("%d requests; the last arrives after %.3f s; ", requests, durationSeconds))
                .append(qps > 0 ? format("%.4g requests/s between first and last", qps) : "all at once")
                .append(".\n\n| tokens | mean | P50 | P99 | max |\n| --- | ---: | ---: | ---: | ---: |\n")
                .append(row("prompt", prefill))
                .append(row("output", decode));
        if (!made.remarks().isEmpty()) {
            out.append('\n');
            made.remarks()
                    .forEach(remark ->
                            out.append("- ").append(Markdown.escape(remark)).append('\n'));
        }
        return out.toString();
    }

    private static String row(String name, Tokens tokens) {
        return format(
                "| %s | %.2f | %.1f | %.1f | %.0f |\n", name, tokens.mean(), tokens.p50(), tokens.p99(), tokens.max());
    }

    private static String format(String pattern, Object... values) {
        return String.format(Locale.ROOT, pattern, values);
    }
}
