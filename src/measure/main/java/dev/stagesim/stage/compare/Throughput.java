package dev.stagesim.stage.compare;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.comparison.ComparedRun;
import dev.stagesim.comparison.Facts.Figure;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.stage.compare.Alignment.Pair;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.ToLongFunction;

/** Rates of the compared requests, from the first arrival to the last completion of each run. */
record Throughput(String quantity, String unit, double real, double sim) {
    static final String OUTPUT_TOKENS = "output_tokens";
    static final String TOTAL_TOKENS = "total_tokens";
    static final String REQUESTS = "requests";

    double percent() {
        return 100 * (sim - real) / real;
    }

    static List<Throughput> of(List<Pair> pairs) {
        double real = span(pairs, p -> p.real().arrival(), p -> p.real().completion());
        double sim = span(pairs, p -> p.sim().arrival(), Pair::simCompletion);
        long output = pairs.stream().mapToLong(Pair::tokens).sum();
        long prompt = pairs.stream().mapToLong(p -> p.real().prefill()).sum();
        return List.of(
                new Throughput(OUTPUT_TOKENS, "tokens/s", output / real, output / sim),
                new Throughput(TOTAL_TOKENS, "tokens/s", (output + prompt) / real, (output + prompt) / sim),
                new Throughput(REQUESTS, "requests/s", pairs.size() / real, pairs.size() / sim));
    }

    /** Compares the rates that a run without requests states with the rates of all completed simulated requests. */
    static List<Throughput> published(ComparedRun real, ComparedRun sim) {
        List<RequestRow> done =
                sim.rows().stream().filter(RequestRow::completed).toList();
        if (done.isEmpty()) {
            return List.of();
        }
        long first = done.stream().mapToLong(RequestRow::arrival).min().orElseThrow();
        long last = done.stream().mapToLong(RequestRow::completion).max().orElseThrow();
        double seconds = Math.max(1, last - first) / NS_PER_S;
        long output = done.stream().mapToLong(RequestRow::actual).sum();
        long prompt = done.stream().mapToLong(RequestRow::prefill).sum();
        List<Throughput> rates = new ArrayList<>();
        add(rates, real.number(Figure.OUTPUT_TOKENS_PER_S), OUTPUT_TOKENS, "tokens/s", output / seconds);
        add(rates, real.number(Figure.TOTAL_TOKENS_PER_S), TOTAL_TOKENS, "tokens/s", (output + prompt) / seconds);
        add(rates, real.number(Figure.REQUESTS_PER_S), REQUESTS, "requests/s", done.size() / seconds);
        return rates;
    }

    private static void add(List<Throughput> rates, Optional<Double> real, String quantity, String unit, double sim) {
        real.ifPresent(rate -> rates.add(new Throughput(quantity, unit, rate, sim)));
    }

    /** Returns the seconds from first to last, at least one nanosecond. */
    private static double span(List<Pair> pairs, ToLongFunction<Pair> from, ToLongFunction<Pair> to) {
        long first = pairs.stream().mapToLong(from).min().orElseThrow();
        long last = pairs.stream().mapToLong(to).max().orElseThrow();
        return Math.max(1, last - first) / NS_PER_S;
    }
}
