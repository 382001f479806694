package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.SearchRoot;
import dev.stagesim.pipeline.JobComposer;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.RunOptions;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.reference.ReferencePage;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes {@code specs/request-life.md} from runs, and compares it with the page; {@code -Dstagesim.update} rewrites it. */
final class RequestLifeTest {
    private static final String TRACE =
            """
            {"timestamp": 0, "input_length": 1000, "output_length": 30, "hash_ids": [1, 2]}
            {"timestamp": 20, "input_length": 900, "output_length": 60, "hash_ids": [1, 3]}
            {"timestamp": 100, "input_length": 1200, "output_length": 20, "hash_ids": [4, 5, 6]}
            """;
    private static final String COMMAND = "model=llama3_8b hardware=h100 workload=mooncake workload.file=";

    @TempDir
    private Path dir;

    /** Runs the stage as its command does; returns the directory of the run. */
    private Path run(String... words) throws IOException {
        Path trace = dir.resolve("three.jsonl");
        Files.writeString(trace, TRACE);
        Home home = Home.fromEnvironment();
        StageRegistry registry = StageRegistry.standard();
        Stage<?> stage = registry.find("vidur_sim").orElseThrow();
        JobComposer composer = new JobComposer(
                ConfigEngine.open(List.of(new SearchRoot("main", home.configs()))), stage, "vidur_sim", Home::shown);
        Pipeline pipeline = new Pipeline(registry, home.dir(), dir, PipelineListener.NONE, Clock.systemUTC());
        List<String> all = Stream.concat(Stream.of(words), Stream.of((COMMAND + trace).split(" ", -1)))
                .toList();
        return pipeline.run(stage, composer.request(all), RunOptions.DEFAULT).dir();
    }

    /** Rows of a table, the chosen columns as numbers. */
    private static List<long[]> rows(Path run, String table, String... columns) throws IOException {
        List<String> lines = Files.readAllLines(run.resolve(table));
        List<String> header = List.of(lines.get(0).split(",", -1));
        List<long[]> rows = new ArrayList<>();
        for (String line : lines.subList(1, lines.size())) {
            String[] cells = line.split(",", -1);
            rows.add(Arrays.stream(columns)
                    .mapToLong(column -> Long.parseLong(cells[header.indexOf(column)]))
                    .toArray());
        }
        return rows;
    }

    private static String ms(long nanos) {
        return String.format(Locale.ROOT, "%.1f", nanos / 1e6);
    }

    private static String requests(Path run) throws IOException {
        List<long[]> all = rows(
                run,
                "request_metrics.csv",
                "arrival_time_ns",
                "scheduling_delay_ns",
                "first_token_time_ns",
                "completion_time_ns",
                "num_restarts");
        List<long[]> tokens = rows(run, "token_metrics.csv", "request_id", "token_latency_ns", "token_index");
        List<String> gaps = IntStream.range(0, all.size())
                .mapToObj(request -> ms(tokens.stream()
                        .filter(row -> row[0] == request && row[2] > 0)
                        .mapToLong(row -> row[1])
                        .max()
                        .orElseThrow()))
                .toList();
        return "| ms | A | B | C |\n|---|---:|---:|---:|\n"
                + row("arrives", all.stream().map(r -> ms(r[0])))
                + row("is admitted", all.stream().map(r -> ms(r[0] + r[1])))
                + row("has its first token", all.stream().map(r -> ms(r[2])))
                + row("longest wait for a further token", gaps.stream())
                + row("loses its memory (times)", all.stream().map(r -> Long.toString(r[4])))
                + row("ends", all.stream().map(r -> ms(r[3])));
    }

    private static String row(String name, Stream<String> cells) {
        return "| " + name + " | " + cells.collect(Collectors.joining(" | ")) + " |\n";
    }

    private static String prompts(Path run) throws IOException {
        StringBuilder out = new StringBuilder(
                "| steps with prompts: planned (ms) | done (ms) | prompt tokens | decodes beside |\n|---:|---:|---:|---:|\n");
        for (long[] step : rows(
                run,
                "batch_metrics.csv",
                "scheduled_at_ns",
                "completed_at_ns",
                "num_prefill_tokens",
                "num_decode_tokens")) {
            if (step[2] > 0) {
                out.append("| ").append(ms(step[0])).append(" | ").append(ms(step[1]));
                out.append(" | ").append(step[2]).append(" | ").append(step[3]).append(" |\n");
            }
        }
        return out.toString();
    }

    private String section(String title, String text, String... words) throws IOException {
        Path run = run(words);
        return "\n### " + title + "\n```\n./stage vidur_sim " + String.join(" ", words) + " \\\n    " + COMMAND
                + "three.jsonl\n```\n\n" + requests(run) + "\n" + prompts(run) + "\n" + text;
    }

    @Test
    void thePageIsWhatRunsGive() throws IOException {
        String page =
                """
                # One request's life under three engines

                Generated by `RequestLifeTest`, which runs the commands and compares this page; `-Dstagesim.update` rewrites it. Rules:
                [serving](serving.md), [vLLM V1](vllm-v1.md), [SGLang](sglang.md).

                Three requests, in a file `three.jsonl` in Mooncake's form. A and B begin with the same 512 tokens (`hash_ids` 1); look at B. Each engine takes its own time
                until a request that has come can be scheduled, and its own time for a step ([step times](step-times.md)), so compare order and shape first.

                ```
                """
                        + TRACE + """
                ```

                ## Memory for all
                """
                        + section(
                                "Sarathi-Serve",
                                """
                        A step has at most 512 tokens, decodes first. B comes while A's prompt is computed and gets what A's decode leaves: 511 tokens, then 389. No cache: all 900 are computed.
                        C's prompt takes three such steps, and each delays B's next token by the length of one chunk.
                        """,
                                "engine=sarathi")
                        + section(
                                "vLLM V1",
                                """
                        A step has at most 8,192 tokens, so prompts are whole. B finds 32 blocks of A in the cache, although A still runs, and computes 388 tokens, beside A's decode. All of C's prompt is
                        one step, with a decode of A and of B in it: B waits for one token as long as that step takes. Steps are planned while the one before runs: *done* less *planned* is up to two steps.
                        """,
                                "engine=vllm_v1")
                        + section(
                                "SGLang",
                                """
                        The same 512 tokens are found in the radix cache, and the same 388 computed, but in a step of their own: A has no token in it. So with C: A and B stand still for the whole prompt, and what was
                        planned before it. Requests that end are in one step more, whose result nobody waits for.
                        """,
                                "engine=sglang")
                        + """

                ## Memory for 1,424 tokens
                A and B together would need 1,990 slots, or 1,478 with 512 in common.
                """
                        + section(
                                "Sarathi-Serve",
                                """
                        B's prompt does not fit beside A's: it waits until A has ended, and C until B has.
                        """,
                                "engine=sarathi",
                                "scheduler.num_blocks=89")
                        + section(
                                "vLLM V1",
                                """
                        With 512 tokens in common B's prompt fits, and B decodes beside A until a block is missing. B came last, so B is preempted: it loses its blocks, not its output, and goes to the front of
                        the queue. Its blocks stay in the cache until someone needs them. When A has ended, B finds all but the last of them, computes the rest in one step of a few tokens, and goes on. One block of the 90 is never used.
                        """,
                                "engine=vllm_v1",
                                "scheduler.num_gpu_blocks_override=90")
                        + section(
                                "SGLang",
                                """
                        B's prompt would fit, but B is admitted only if all of its output would, beside a share of what A may still make. So nothing is retracted: B waits for A's end, and then finds the common tokens in
                        the cache. That A has ended is known one step late, and makes room in the turn after.
                        """,
                                "engine=sglang",
                                "scheduler.max_total_tokens=1424");

        ReferencePage.assertUpToDate(ReferencePage.HOME.resolve("specs/request-life.md"), page);
    }

    @Test
    void thePagesTextHolds() throws IOException {
        Path vllm = run("engine=vllm_v1", "scheduler.num_gpu_blocks_override=90");
        Path sglang = run("engine=sglang", "scheduler.max_total_tokens=1424");
        assertThat(rows(vllm, "request_metrics.csv", "num_restarts"))
                .extracting(row -> row[0])
                .containsExactly(0L, 1L, 0L);
        assertThat(rows(sglang, "request_metrics.csv", "num_restarts"))
                .extracting(row -> row[0])
                .containsOnly(0L);
        assertThat(rows(run("engine=sglang"), "batch_metrics.csv", "num_prefill_tokens", "num_decode_tokens"))
                .as("prompts and decodes are never in one step")
                .allMatch(step -> step[0] == 0 || step[1] == 0);
    }
}
