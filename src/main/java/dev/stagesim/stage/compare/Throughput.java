package dev.stagesim.stage.compare;

import dev.stagesim.stage.compare.Alignment.Pair;
import java.util.List;
import java.util.function.ToLongFunction;

/** Rates of the compared requests, from the first arrival to the last completion of each side. */
record Throughput(String quantity, String unit, double real, double sim) {
    private static final double NS_PER_S = 1e9;

    double percent() {
        return 100 * (sim - real) / real;
    }

    static List<Throughput> of(List<Pair> pairs) {
        double real = span(pairs, p -> p.real().arrival(), p -> p.real().completion());
        double sim = span(pairs, p -> p.sim().arrival(), Pair::simCompletion);
        long output = pairs.stream().mapToLong(Pair::tokens).sum();
        long prompt = pairs.stream().mapToLong(p -> p.real().prefill()).sum();
        return List.of(
                new Throughput("output_tokens", "tokens/s", output / real, output / sim),
                new Throughput("total_tokens", "tokens/s", (output + prompt) / real, (output + prompt) / sim),
                new Throughput("requests", "requests/s", pairs.size() / real, pairs.size() / sim));
    }

    /** Seconds from first to last; a nanosecond when they coincide. */
    private static double span(List<Pair> pairs, ToLongFunction<Pair> from, ToLongFunction<Pair> to) {
        long first = pairs.stream().mapToLong(from).min().orElseThrow();
        long last = pairs.stream().mapToLong(to).max().orElseThrow();
        return Math.max(1, last - first) / NS_PER_S;
    }
}
