package dev.stagesim.stage.compare;

import dev.stagesim.stage.FakeContext;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Compares two runs with token tables that exceed the memory, in a separate process with a small heap. */
final class LargeComparison {
    static final int REQUESTS = 8000;
    static final int TOKENS = 1000;
    private static final long START_GAP = 1_000_000;

    private LargeComparison() {}

    /** Compares {@code args[0]} with {@code args[1]} into {@code args[2]}. */
    public static void main(String... args) throws IOException {
        Path out = Files.createDirectories(Path.of(args[2]));
        FakeContext context = new FakeContext(out, Path.of(args[0]))
                .with("real", Path.of(args[0]), "real_bench")
                .with("sim", Path.of(args[1]), "vidur_sim");
        CompareStage.compare(CompareSettingsFixture.defaults(), Optional.empty(), context);
    }

    /** Writes a run with a gap before token k of request r of {@code base + (7919 r + 104729 k) mod 1000}. */
    static Path write(Path dir, long base) throws IOException {
        Files.createDirectories(dir);
        Files.writeString(dir.resolve("run_meta.json"), "{}");
        try (BufferedWriter requests = Files.newBufferedWriter(dir.resolve("request_metrics.csv"));
                BufferedWriter tokens = Files.newBufferedWriter(dir.resolve("token_metrics.csv"))) {
            requests.write("request_id,arrival_time_ns,first_token_time_ns,ttft_ns,completion_time_ns,"
                    + "num_prefill_tokens,num_decode_tokens,num_decode_tokens_actual,status\n");
            tokens.write("request_id,token_index,token_time_ns,token_latency_ns\n");
            for (int r = 0; r < REQUESTS; r++) {
                request(r, base, requests, tokens);
            }
        }
        return dir;
    }

    private static void request(int r, long base, BufferedWriter requests, BufferedWriter tokens) throws IOException {
        long arrival = r * START_GAP;
        long first = arrival + base;
        long at = first;
        StringBuilder rows = new StringBuilder(64 * TOKENS);
        for (int k = 0; k < TOKENS; k++) {
            long gap = k == 0 ? base : base + (7919L * r + 104_729L * k) % 1000;
            at = k == 0 ? first : at + gap;
            rows.append(r)
                    .append(',')
                    .append(k)
                    .append(',')
                    .append(at)
                    .append(',')
                    .append(gap)
                    .append('\n');
        }
        tokens.append(rows);
        requests.write(r + "," + arrival + "," + first + "," + base + "," + at + ",8," + TOKENS + "," + TOKENS
                + ",completed\n");
    }
}
