package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.api.Run;
import dev.stagesim.api.Stagesim;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.serving.EngineChoice;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** {@code stage fits} uses the memory plan of the simulations. */
final class FitsCommandTest {
    private static final int CONTEXT = 1040;

    @TempDir
    private Path work;

    private static CliTester fits(String... words) {
        return CliTester.run(Stream.concat(Stream.of("fits"), Stream.of(words)).toArray(String[]::new));
    }

    private static LocatedJson json(String... words) {
        CliTester command =
                fits(Stream.concat(Stream.of(words), Stream.of("--json")).toArray(String[]::new));
        assertThat(command.err()).isEmpty();
        return Json.parse(command.out(), "fits");
    }

    private Run run(String stage, List<String> words) {
        return Stagesim.open(CliTester.home().dir(), work).run(stage, words.toArray(String[]::new));
    }

    @Test
    void rejectsContextsAboveThatOfTheModel() {
        CliTester command = fits("model=llama3_70b", "hardware=h100", "tp=4", "max_model_len=131072");
        assertThat(command.exit()).isEqualTo(2);
        assertThat(command.err()).contains("max_model_len=131072", "8,192 tokens", "set model.max_position=131072");
    }

    /** Messages of vLLM and SGLang: the output size of gate's and up's weight is not divisible by block_n = 128. */
    @ParameterizedTest
    @CsvSource({
        "qwen_qwen3_235b_a22b_fp8, vllm_v1, 8, 'moe_ffn_dim 1536 / 8 = 192', 'use tp=4, or ep=8'",
        "qwen_qwen3_235b_a22b_fp8, sglang, 8, 'moe_ffn_dim 1536 / 8 = 192', 'use tp=4, or ep=8'",
        "qwen_qwen3_235b_a22b_fp8, trtllm, 8, 'moe_ffn_dim 1536 / 8 = 192', 'use tp=4, or ep=8'",
        "qwen_qwen3_coder_480b_a35b_instruct_fp8, vllm_v1, 8, 'moe_ffn_dim 2560 / 8 = 320', 'use tp=4, or ep=8'",
        "qwen_qwen3_32b_fp8, vllm_v1, 16, 'ffn_dim 25600 / 16 = 1600', 'use tp=8'",
        "microsoft_phi_3_medium_4k_instruct, vllm_v1, 4, 10 KV heads, a divisor or a multiple of 10"
    })
    void refusesSplitsThatEnginesRefuse(String model, String engine, int tp, String reason, String advice) {
        String[] words = {"model=" + model, "hardware=h200", "engine=" + engine, "tp=" + tp};
        CliTester command = fits(words);
        assertThat(command.exit()).isEqualTo(2);
        assertThat(command.err()).contains("cluster.tensor_parallel_size: is " + tp, reason, advice);
        CliTester simulated = CliTester.run(
                Stream.concat(Stream.of("vidur_sim"), Stream.of(words)).toArray(String[]::new));
        assertThat(simulated.exit()).isEqualTo(2);
        assertThat(simulated.err()).contains(reason, advice);
    }

    @Test
    void namesTheKeysOfAPoolThatKeepExpertsWhole() {
        CliTester command = CliTester.run(
                "cluster_sim", "cluster=round_robin_4", "model=qwen_qwen3_235b_a22b_fp8", "hardware=h200", "tp=8");
        assertThat(command.exit()).isEqualTo(2);
        assertThat(command.err())
                .contains("cluster.pools.all.tp: is 8")
                .contains("use tp=4, or cluster.pools.all.scheduler.kind=vllm_v1"
                        + " cluster.pools.all.scheduler.enable_expert_parallel=true to keep experts whole");
    }

    @ParameterizedTest
    @CsvSource({
        "qwen_qwen3_235b_a22b_fp8, 8, ep=8",
        "qwen_qwen3_235b_a22b_fp8, 4, ep=1",
        "deepseek_v3, 16, ep=1",
        "qwen_qwen3_235b_a22b, 8, ep=1",
        "llama3_70b, 16, ep=1",
        "microsoft_phi_3_medium_4k_instruct, 5, ep=1"
    })
    void acceptsSplitsIntoWholeBlocksAndHeads(String model, int tp, String experts) {
        CliTester command = fits("model=" + model, "hardware=h200", "tp=" + tp, experts);
        assertThat(command.exit()).as(command.err()).isZero();
        assertThat(command.out()).contains("Fits: ").doesNotContain("Warning");
    }

    @Test
    void writesOutThousandsOfTokens() {
        CliTester command = fits("model=llama3_1_8b", "hardware=l40s", "max_model_len=32k");
        assertThat(command.exit()).isEqualTo(2);
        assertThat(command.err()).contains("max_model_len=32k: expected a whole number", "write 32768");
    }

    @Test
    void warnsOfFp8CheckpointsWithBlocks() {
        String[] words = {"model=qwen3_235b_a22b", "weights=fp8", "hardware=h200", "tp=8"};
        assertThat(fits(words).out()).contains("Fits: ", "Warning: weights=fp8 has one scale per tensor", "use tp=4");
        words[3] = "tp=4";
        assertThat(fits(words).out()).contains("Fits: ").doesNotContain("Warning");
    }

    @Test
    void countsTheLimitOfRunningRequests() {
        CliTester command = fits("model=qwen3", "hardware=h100", "max_model_len=256", "concurrency=2000");
        assertThat(command.exit()).isEqualTo(3);
        assertThat(command.out()).contains("Does not fit", "at most 1,024 requests");
        CliTester json = fits("model=qwen3", "hardware=h100", "max_model_len=256", "concurrency=2000", "--json");
        assertThat(json.out()).contains("\"fits\":false", "\"missing_bytes\":0").doesNotContain("fitting_tensor");
    }

    @Test
    void saysThatThePartsExceedTheDevice() {
        String[] words = {
            "model=llama3_70b",
            "hardware=h100",
            "engine=trtllm",
            "model.weights=fp8",
            "model.kv_cache=fp8",
            "max_model_len=1250",
            "scheduler.free_gpu_memory_fraction=1"
        };
        assertThat(fits(words).out())
                .contains("The parts exceed the device by")
                .containsPattern("  missing +0\\.\\d\\d ")
                .contains("\n  device ")
                .doesNotContain("  total ");
        assertThat(fits(Arrays.copyOf(words, words.length - 1)).out()).doesNotContain("exceed");
    }

    @Test
    void confinedRejectsFilesOutsideTheWorkingDirectory() {
        CliTester command = fits("--confined", "hardware=h100", "profile.root=/etc");
        assertThat(command.exit()).isEqualTo(2);
        assertThat(command.err()).contains("profile.root", "outside the working directory");
    }

    @ParameterizedTest
    @CsvSource({
        "llama3_8b, h100, vllm_v1, 1",
        "llama3_70b, h100, sglang, 4",
        "qwen3_32b, h200, trtllm, 2",
        "qwen_qwen3_32b_fp8, h100, vllm_v1, 1",
        "mixtral_8x7b, h100, vllm_v1, 2",
        "mistral_7b, a100, vllm_v1, 1",
        "gemma3_27b, h100, vllm_v1, 2",
        "gpt_oss_120b, h100, vllm_v1, 2",
        "llama4_scout, h200, vllm_v1, 4",
        "deepseek_v3, h200, vllm_v1, 8",
        "deepseek_v3, h200, sglang, 8",
        "kimi_k2, b200, trtllm, 8",
        "nvidia_nvidia_nemotron_nano_9b_v2, h100, vllm_v1, 1",
        "qwen_qwen3_5_397b_a17b, b200, vllm_v1, 8"
    })
    void hasTheKvCacheOfEachStage(String model, String hardware, String engine, int tp) throws IOException {
        List<String> same = List.of("model=" + model, "hardware=" + hardware);
        List<String> requests = List.of("requests=1", "prompt_tokens=" + (CONTEXT - 40), "output_tokens=40");
        LocatedJson fits =
                json(Stream.concat(same.stream(), Stream.of("engine=" + engine, "tp=" + tp, "max_model_len=" + CONTEXT))
                        .toArray(String[]::new));

        Run replica = run("vidur_sim", all(same, requests, List.of("engine=" + engine, "tp=" + tp)));
        assertThat(number(fits, "kv_blocks"))
                .isEqualTo(number(Json.read(replica.dir().resolve("engine.json")), "num_blocks"));

        Run cluster = run(
                "cluster_sim",
                all(
                        same,
                        requests,
                        List.of(
                                "cluster=round_robin_4",
                                "cluster.pools.all.engine=" + engine,
                                "cluster.pools.all.tp=" + tp)));
        assertThat((long) cluster.table("cluster_instances.csv").numbers("kv_tokens")[0])
                .isEqualTo(number(fits, "kv_tokens"));

        ModelCard card = CardFiles.model(model);
        EngineChoice.Shape shape = new EngineChoice.Shape(
                engine,
                CardFiles.engine(engine),
                tp,
                1,
                card.formats().weights(),
                card.expertPrecision(),
                card.formats().kvCache());
        assertThat(shape.replica(card, CardFiles.hardware(hardware), shape.scheduler(), Optional.empty(), CONTEXT)
                        .kvTokens())
                .isEqualTo(number(fits, "kv_tokens"));
    }

    /** As many requests as fit run without preemption; one more request is preempted or waits. */
    @ParameterizedTest
    @CsvSource({"llama3_8b, vllm_v1", "llama3_8b, sglang"})
    void admitsTheRequestsThatFit(String model, String engine) throws IOException {
        List<String> same = List.of("model=" + model, "hardware=l40s", "engine=" + engine);
        LocatedJson fits = json(all(same, List.of("concurrency=32"), List.of()).toArray(String[]::new));
        long context = number(fits.get("max_context"), "32");
        assertThat(context).isBetween(500L, 130_000L);
        List<String> requests = List.of(
                "arrival=static",
                "prompt_tokens=" + (context - 300),
                "output_tokens=300",
                "max_model_len=" + context,
                "scheduler." + (engine.equals("sglang") ? "disable_radix_cache=true" : "enable_prefix_caching=false"));
        Run fitting = run("vidur_sim", all(same, requests, List.of("requests=32")));
        Run more = run("vidur_sim", all(same, requests, List.of("requests=36")));
        assertThat(number(Json.read(fitting.dir().resolve("engine.json")), "preemptions"))
                .isZero();
        assertThat(ttftMs(more)).isGreaterThan(1.2 * ttftMs(fitting));
    }

    /**
     * The largest concurrency runs without preemption, also if attention windows release blocks; with 20 % more requests,
     * some wait or are preempted.
     */
    @ParameterizedTest
    @CsvSource({
        "gpt_oss_120b, 3000, 75, logs a maximum concurrency of 40.17x",
        "gemma3_27b, 12500, 8, logs a maximum concurrency of 2.55x",
        "llama3_8b, 8000, 56, "
    })
    void runsTheLargestConcurrency(String model, int context, int largest, String logged) throws IOException {
        List<String> same = List.of("model=" + model, "hardware=h100", "max_model_len=" + context);
        CliTester fits =
                fits(all(same, List.of("concurrency=" + largest), List.of()).toArray(String[]::new));
        assertThat(fits.exit()).isZero();
        assertThat(fits.out()).contains("Largest concurrency at this context: " + largest + ",");
        assertThat(fits.out().contains("vLLM logs")).isEqualTo(logged != null);
        assertThat(fits.out()).contains(logged == null ? "" : logged);
        List<String> requests = List.of(
                "arrival=static",
                "prompt_tokens=" + (context - 300),
                "output_tokens=300",
                "scheduler.enable_prefix_caching=false");
        Run fitting = run("vidur_sim", all(same, requests, List.of("requests=" + largest)));
        Run more = run("vidur_sim", all(same, requests, List.of("requests=" + (largest * 6 + 4) / 5)));
        assertThat(number(Json.read(fitting.dir().resolve("engine.json")), "preemptions"))
                .isZero();
        assertThat(ttftMs(more)).isGreaterThan(1.5 * ttftMs(fitting));
    }

    @Test
    void dividesTheWholeMemoryOfADevice() {
        LocatedJson fits = json("model=llama3_70b", "hardware=h100", "tp=4", "concurrency=64", "max_model_len=4096");
        LocatedJson parts = fits.get("bytes_per_device");
        long sum = Stream.of("weights", "kv_cache", "activations", "graphs", "libraries", "reserve")
                .mapToLong(part -> number(parts, part))
                .sum();
        assertThat(sum).isEqualTo((long) (79.19 * (1L << 30)));
        assertThat(number(parts, "weights")).isBetween(35_000_000_000L, 35_500_000_000L);
        assertThat(number(fits, "max_concurrency")).isGreaterThanOrEqualTo(64);
    }

    @Test
    void statesTheMissingBytesAndTheSmallestTensorParallelism() {
        CliTester command = fits("model=llama3_70b", "hardware=h100", "tp=2", "max_model_len=8192", "concurrency=64");
        assertThat(command.exit()).isEqualTo(3);
        assertThat(command.out())
                .contains("Does not fit: 64 requests of 8,192 tokens. Each device lacks ")
                .contains("; largest context at this concurrency: 112. ")
                .contains("The smallest tensor parallelism with which it fits is tp=8.");
        LocatedJson wider = json("model=llama3_70b", "hardware=h100", "tp=8", "max_model_len=8192", "concurrency=64");
        assertThat(number(wider, "missing_bytes")).isZero();
        LocatedJson narrow = json("model=llama3_70b", "hardware=h100", "tp=4", "max_model_len=8192", "concurrency=64");
        assertThat(number(narrow, "missing_bytes")).isPositive();

        CliTester nothing = fits("model=llama3_1_405b", "hardware=h100", "tp=2");
        assertThat(nothing.exit()).isEqualTo(3);
        assertThat(nothing.out()).contains("  missing without KV  ");
        assertThat(nothing.out()).contains("KV cache: no room for any sequence");

        // the exit code is the verdict, also for the context of the model
        CliTester assumed = fits("model=qwen3_32b", "hardware=h100");
        CliTester stated = fits("model=qwen3_32b", "hardware=h100", "max_model_len=40960");
        assertThat(List.of(assumed.exit(), stated.exit())).containsOnly(3);
        assertThat(assumed.out())
                .contains("Does not fit: 1 request of 40,960 tokens (the context of the model; max_model_len= sets"
                        + " another). Each");
        assertThat(stated.out()).contains("Does not fit: 1 request of 40,960 tokens. Each");
    }

    @Test
    void doublesTheConcurrencyWithTwoEngines() {
        String[] same = {"model=llama3_8b", "hardware=h100", "max_model_len=8192"};
        LocatedJson one = json(same);
        LocatedJson two = json(Stream.concat(Stream.of(same), Stream.of("dp=2")).toArray(String[]::new));
        assertThat(number(two, "max_concurrency")).isEqualTo(2 * number(one, "max_concurrency"));
        assertThat(number(two, "devices")).isEqualTo(2);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "prompt_tokens=100 | has no effect in fits",
                "max_model_len=0 | expected a whole number from 1",
                "concurrency=many | expected a whole number from 1",
                "max_model_len=32k | write 32768",
                "tp=3 | does not divide",
                "hardware=h1000 | h100"
            })
    void rejects(String word, String message) {
        CliTester command = fits("model=llama3_8b", word);
        assertThat(command.exit()).isEqualTo(2);
        assertThat(command.err()).contains(message);
    }

    /** Only a context with a suffix has an equal number of tokens. */
    @ParameterizedTest
    @ValueSource(strings = {"concurrency=0", "concurrency=2k", "max_model_len=0", "max_model_len=0k"})
    void suggestsNoOtherNumber(String word) {
        assertThat(fits("model=llama3_8b", word).err())
                .contains("expected a whole number from 1")
                .doesNotContain("write ");
    }

    private static List<String> all(List<String> first, List<String> second, List<String> third) {
        return Stream.of(first, second, third).flatMap(List::stream).toList();
    }

    private static double ttftMs(Run run) {
        return Objects.requireNonNull(run.figures().get("ttft_p99_ms"));
    }

    private static long number(LocatedJson from, String key) {
        return (long) from.get(key).asDouble();
    }
}
