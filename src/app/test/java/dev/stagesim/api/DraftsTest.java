package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Drafts cost time and memory with every method. */
final class DraftsTest {
    @TempDir
    private Path work;

    private Run run(String model, String... more) {
        return TestRuns.run(
                work,
                "vidur_sim",
                List.of(
                        "model=" + model,
                        "hardware=h100",
                        "engine=vllm_v1",
                        "requests=2",
                        "prompt_tokens=200",
                        "output_tokens=121",
                        "arrival=fixed",
                        "arrival.interval=30"),
                more);
    }

    private static double tpot(Run run) {
        return run.figures().getOrDefault("tpot_p50_ms", Double.NaN);
    }

    private static double blocks(Run run) throws IOException {
        return Json.read(run.dir().resolve("engine.json")).get("num_blocks").asDouble();
    }

    @ParameterizedTest
    @CsvSource({
        "llama3_1_8b, eagle, ''",
        "llama3_1_8b, eagle3, ''",
        "llama3_1_8b, ngram, ''",
        "llama3_1_8b, draft_model, scheduler.speculative.draft_share=0.1",
        "llama3_1_8b, draft_model, +model@scheduler.speculative.draft_model=llama3_2_1b",
        "qwen3_30b_a3b, mtp, model.mtp_layers=1",
        "gpt_oss_20b, eagle3, ''"
    })
    void speedsUpByLessThanTheDraftLengthWhenAllAreAccepted(String model, String method, String more)
            throws IOException {
        Run plain = run(model);
        Run drafted = more.isEmpty()
                ? run(
                        model,
                        "scheduler.speculative.num_tokens=3",
                        "scheduler.speculative.method=" + method,
                        "scheduler.speculative.acceptance=[1]")
                : run(
                        model,
                        "scheduler.speculative.num_tokens=3",
                        "scheduler.speculative.method=" + method,
                        "scheduler.speculative.acceptance=[1]",
                        more);
        double speedup = tpot(plain) / tpot(drafted);
        assertThat(speedup).isBetween(1.2, method.equals("ngram") ? 3.999 : 3.8);
        LooseTable parts = LooseTable.read(drafted.dir().resolve("step_parts.csv"));
        assertThat(Double.parseDouble(parts.text(0, "drafts_us"))).isPositive();
        boolean hasModel = !method.equals("ngram") && !more.contains("share");
        if (hasModel) {
            assertThat(blocks(drafted)).isLessThan(blocks(plain));
        }
        assertThat(drafted.warnings()).anyMatch(text -> text.contains("above the published range"));
    }

    /** A chunk that does not end its prompt samples no token, so drafts after it would have nothing to follow. */
    @Test
    void stepsOfUnfinishedPromptsDoNotDraftInNewVersions() {
        double[] ttft = new double[2];
        String[] versions = {"0.28", "0.33"};
        for (int i = 0; i < versions.length; i++) {
            ttft[i] = run(
                            "llama3_1_8b",
                            "workload.lengths.prefill_tokens=20000",
                            "workload.max_tokens=20121",
                            "scheduler.max_num_batched_tokens=1024",
                            "scheduler.speculative.num_tokens=4",
                            "scheduler.speculative.method=eagle",
                            "scheduler.version='" + versions[i] + "'")
                    .figures()
                    .get("ttft_p50_ms");
        }
        // all chunks but the last: three further passes of the draft and its output head
        assertThat(ttft[1]).isLessThan(0.995 * ttft[0]).isGreaterThan(0.9 * ttft[0]);
    }

    @ParameterizedTest
    @ValueSource(strings = {"0", "3"})
    void methodNoneSwitchesDraftsOff(String drafts) {
        Run none =
                run("llama3_1_8b", "scheduler.speculative.method=none", "scheduler.speculative.num_tokens=" + drafts);
        assertThat(tpot(none)).isEqualTo(tpot(run("llama3_1_8b")));
    }

    @ParameterizedTest
    @CsvSource({
        "llama3_1_8b, 1, eagle",
        "llama3_1_8b, 1, eagle3",
        "llama3_3_70b, 4, eagle3",
        "llama3_1_8b, 1, ngram",
        "deepseek_v3, 16, mtp"
    })
    void staysInThePublishedRangeWithPublishedRates(String model, String tensor, String method) {
        Run run = run(
                model,
                "cluster.tensor_parallel_size=" + tensor,
                "scheduler.speculative.num_tokens=3",
                "scheduler.speculative.method=" + method);
        assertThat(run.warnings()).noneMatch(text -> text.contains("published range"));
    }

    @ParameterizedTest
    @CsvSource({
        "llama3_1_8b, mtp, 3, model.mtp_layers=0, 'scheduler.speculative.method, mtp, Llama, eagle'",
        "qwen3_30b_a3b, mtp, 3, '', 'scheduler.speculative.method, mtp, Qwen3-30B-A3B, model.mtp_layers'",
        "qwen3_30b_a3b, mtp, 3, model.mtp_layers=2, 'scheduler.speculative.num_tokens, not a multiple'",
        "llama3_1_8b, eagle3, 1, model.num_layers=2, 'scheduler.speculative.method, eagle3'",
        "llama3_1_8b, draft_model, 3, +model@scheduler.speculative.draft_model=qwen3_0_6b, 'draft_model, vocabulary of 151936, 128256'"
    })
    void rejectsMethodsThatTheModelDoesNotSupport(String model, String method, int drafts, String more, String parts) {
        assertThatThrownBy(() -> run(
                        model,
                        Stream.of(
                                        "scheduler.speculative.num_tokens=" + drafts,
                                        "scheduler.speculative.method=" + method,
                                        more)
                                .filter(each -> !each.isEmpty())
                                .toArray(String[]::new)))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll(parts.split(", "));
    }

    @ParameterizedTest
    @CsvSource({
        "sglang, speculative=mtp",
        "sglang, speculative=eagle3",
        "sglang, scheduler.speculative.method=ngram",
        "sglang, scheduler.speculative.num_tokens=3",
        "vllm_v0, speculative=eagle3",
        "sarathi, speculative=ngram"
    })
    void rejectsDraftsOfOtherSchedulers(String engine, String drafts) {
        for (String stage : List.of("vidur_sim", "serve_mock", "calibrate")) {
            assertThatThrownBy(() -> TestRuns.run(work, stage, List.of("engine=" + engine), drafts))
                    .as(stage)
                    .isInstanceOf(StageException.class)
                    .hasMessageContainingAll("scheduler.speculative", "needs scheduler.kind=vllm_v1", "override #2");
        }
    }

    @Test
    void requiresTheCostOfADraftModel() {
        assertThatThrownBy(() -> run(
                        "llama3_1_8b",
                        "scheduler.speculative.num_tokens=3",
                        "scheduler.speculative.method=draft_model"))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("scheduler.speculative.draft_share", "draft_model=NAME");
        assertThatThrownBy(() -> run(
                        "llama3_1_8b", "scheduler.speculative.num_tokens=3", "scheduler.speculative.draft_share=0.1"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("scheduler.speculative.draft_share");
    }
}
