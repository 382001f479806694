package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.cli.console.Home;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.RunOptions;
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

/**
 * Generates {@code specs/request-life.md} from runs, and compares it with the page; {@code -Dstagesim.update} rewrites
 * it.
 */
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

    /** Runs the stage and returns the directory of the run. */
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

    /** Reads columns of a table as numbers. */
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
                + row("arrival", all.stream().map(r -> ms(r[0])))
                + row("admission", all.stream().map(r -> ms(r[0] + r[1])))
                + row("first token", all.stream().map(r -> ms(r[2])))
                + row("maximum inter-token latency", gaps.stream())
                + row("preemptions", all.stream().map(r -> Long.toString(r[4])))
                + row("end", all.stream().map(r -> ms(r[3])));
    }

    private static String row(String name, Stream<String> cells) {
        return "| " + name + " | " + cells.collect(Collectors.joining(" | ")) + " |\n";
    }

    private static String prompts(Path run) throws IOException {
        StringBuilder out = new StringBuilder(
                "| prefill steps: planned (ms) | done (ms) | prompt tokens | decodes |\n|---:|---:|---:|---:|\n");
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
    void matchesTheCommittedPage() throws IOException {
        String page =
                """
                # Three requests under three engines

                Generated by `RequestLifeTest`, which runs the commands and compares this page. `-Dstagesim.update` rewrites it. Rules:
                [serving](serving.md), [vLLM V1](vllm-v1.md), [SGLang](sglang.md).

                The file `three.jsonl` contains three requests in Mooncake's format. A and B share a prefix of 512 tokens (`hash_ids` 1). Engines differ in the time until an
                arrived request can be scheduled, and in their step times ([step times](step-times.md)), so compare the order of events first, in particular for B.

                ```
                """
                        + TRACE + """
                ```

                ## Sufficient memory
                """
                        + section(
                                "Sarathi-Serve",
                                """
                        A step has at most 512 tokens, decodes first. B arrives during the prefill of A and gets the tokens that the decode of A leaves: 511, then 389. There is no prefix cache, so all 900 are computed.
                        The prefill of C takes three steps. Each delays the next token of B by one chunk.
                        """,
                                "engine=sarathi")
                        + section(
                                "vLLM V1",
                                """
                        A step has at most 8,192 tokens, so each prompt is computed in one step. B has 32 blocks of A as cache hits, although A still runs, and computes 388 tokens in one step with the decode of A.
                        The prefill of C shares one step with decodes of A and B, so B waits for one token until that step ends. A step is planned while the previous one runs, so *done* − *planned* is up to two steps.
                        """,
                                "engine=vllm_v1")
                        + section(
                                "SGLang",
                                """
                        The radix cache has the same 512 tokens, and the same 388 are computed, but in a separate step without decodes: A gets no token. In the same way A and B get no token during the prefill of C and the
                        step planned before it. A finished request is part of one further step, and its result is discarded.
                        """,
                                "engine=sglang")
                        + """

                ## Memory for 1,424 tokens
                A and B together need 1,990 slots, or 1,478 with 512 shared.
                """
                        + section(
                                "Sarathi-Serve",
                                """
                        The prompt of B does not fit in memory together with A. B waits until A has ended, and C until B has ended.
                        """,
                                "engine=sarathi",
                                "scheduler.num_blocks=89")
                        + section(
                                "vLLM V1",
                                """
                        With 512 shared tokens the prompt of B fits, and A and B decode together until the memory is full. B arrived last, so B is preempted: it loses its blocks but not its output, and moves to the front of
                        the queue. Its blocks remain cached until they are evicted. When A has ended, B has all of them except the last as cache hits, recomputes a few tokens in one step, and continues. One of the 90 blocks is never used.
                        """,
                                "engine=vllm_v1",
                                "scheduler.num_gpu_blocks_override=90")
                        + section(
                                "SGLang",
                                """
                        The prompt of B would fit, but SGLang admits B only if its complete output fits, too, together with a share of the maximum remaining output of A. So no request is retracted: B waits until A has ended, and then
                        has the shared tokens as cache hits. The scheduler leaves A out of the step after its last one, and uses the memory once the result of the last one is processed.
                        """,
                                "engine=sglang",
                                "scheduler.max_total_tokens=1424");

        ReferencePage.assertUpToDate(ReferencePage.HOME.resolve("specs/request-life.md"), page);
    }

    @Test
    void satisfiesTheStatementsOfThePage() throws IOException {
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
