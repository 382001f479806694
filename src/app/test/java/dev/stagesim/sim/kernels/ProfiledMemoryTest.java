package dev.stagesim.sim.kernels;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.reference.ReferencePage;
import dev.stagesim.sim.kernels.ProfiledMemory.Sampler;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares the memory of vLLM other than weights and KV cache with published logs. */
final class ProfiledMemoryTest {
    private static final double GIB = 1L << 30;
    private static final Pattern BLANKS = Pattern.compile("\\s+");
    private static final Path PAGE = ReferencePage.HOME.resolve(Path.of("specs", "vllm-v1.md"));
    private static final String BEGIN = "<!-- memory facts -->\n";
    private static final String END = "<!-- end of memory facts -->";

    /** One value of a log: model, device, tensor parallelism, tokens and sequences of a step, version, peak in GiB. */
    private record Fact(
            String model,
            String device,
            int tensor,
            int tokens,
            int sequences,
            String version,
            double peakGib,
            String source) {
        Sampler sampler() {
            int minor = Integer.parseInt(version.replaceAll("^0\\.(\\d+).*", "$1"));
            return minor < 17 ? Sampler.SORT : Sampler.SELECT;
        }

        double predictedGib(Map<String, Object> cards) {
            ModelCard card = (ModelCard) cards.computeIfAbsent(model, CardFiles::model);
            HardwareCard hardware = (HardwareCard) cards.computeIfAbsent(device, CardFiles::hardware);
            return new ProfiledMemory(card, hardware, tensor, 1).activations(tokens, sequences, sampler()) / GIB;
        }

        static Fact of(String line) {
            List<String> cells = BLANKS.splitAsStream(line).toList();
            return new Fact(
                    cells.get(0),
                    cells.get(1),
                    Integer.parseInt(cells.get(2)),
                    Integer.parseInt(cells.get(3)),
                    Integer.parseInt(cells.get(4)),
                    cells.get(5),
                    Double.parseDouble(cells.get(6)),
                    cells.get(7));
        }
    }

    /** Peaks of PyTorch's memory without weights, GiB. P: planner's report; B: benchmark's report; V: pull request. */
    private static final String FACTS =
            """
            llama3_1_8b            h100_sxm_80gb 1  8192 1024 0.19.0 1.89 P
            llama3_1_8b            h100_sxm_80gb 4  8192 1024 0.19.0 1.89 P
            qwen2_5_7b             h100_sxm_80gb 1  8192 1024 0.19.0 2.21 P
            qwen3_8b               h100_sxm_80gb 1  8192 1024 0.19.0 2.21 P
            qwen2_5_72b            h100_sxm_80gb 2  8192 1024 0.19.0 2.29 P
            llama3_3_70b           h100_sxm_80gb 2  8192 1024 0.19.0 1.96 P
            phi4                   h100_sxm_80gb 1  8192 1024 0.19.0 1.52 P
            phi2                   h100_sxm_80gb 1  8192 1024 0.19.0 0.79 P
            google_gemma_2_2b_it   h100_sxm_80gb 1  8192 1024 0.19.0 3.62 P
            gemma2_27b             h100_sxm_80gb 1  8192 1024 0.19.0 3.66 P
            google_gemma_7b        h100_sxm_80gb 1  8192 1024 0.19.0 3.63 P
            codellama_codellama_7b_hf h100_sxm_80gb 1 8192 1024 0.19.0 0.77 P
            qwen3_30b_a3b          h100_sxm_80gb 1  8192 1024 0.19.0 2.68 P
            qwen_qwen1_5_moe_a2_7b h100_sxm_80gb 1  8192 1024 0.19.0 2.47 P
            deepseek_ai_deepseek_v2_lite h100_sxm_80gb 1 8192 1024 0.19.0 1.93 P
            mixtral_8x7b           h100_sxm_80gb 2  8192 1024 0.19.0 1.21 P
            llama4_scout           h100_sxm_80gb 4  8192 1024 0.19.0 3.19 P
            gpt_oss_20b            h100_sxm_80gb 2  8192 1024 0.19.0 2.87 P
            qwen3_14b              h100_sxm_80gb 1  8192 1024 0.17.0 2.23 P
            qwen3_14b              h100_sxm_80gb 1  8192 1024 0.16.0 5.64 P
            gpt_oss_20b            h100_sxm_80gb 1  8192 1024 0.12.0 7.38 B
            llama3_1_8b            h100_sxm_80gb 1  8192 1024 0.12.0 4.76 B
            llama3_3_70b           h100_sxm_80gb 2  8192 1024 0.12.0 4.84 B
            qwen3_0_6b             h100_sxm_80gb 1  8192 1024 0.12.0 5.56 B
            llama3_8b              h100_sxm_80gb 1  8192  256 0.6.5 1.26 V
            llama3_8b              h100_sxm_80gb 2  8192  256 0.6.5 1.26 V
            """;

    private static List<Fact> facts() {
        return FACTS.lines().map(Fact::of).toList();
    }

    @Test
    void predictsThePeaksOfTheLogs() {
        Map<String, Object> cards = new HashMap<>();
        List<Double> errors = new ArrayList<>();
        for (Fact fact : facts()) {
            double error = fact.predictedGib(cards) / fact.peakGib - 1;
            assertThat(error).as("%s", fact).isBetween(-0.15, 0.15);
            errors.add(Math.abs(error));
        }
        errors.sort(null);
        assertThat(errors.get(errors.size() / 2)).as("median").isLessThan(0.03);
    }

    /** Cache sizes in logs with known engine settings, in GiB. vLLM 0.19 reserves no memory for graphs. */
    @ParameterizedTest
    @CsvSource({
        // LLMServingSim's run: 2,588 blocks of 16 tokens.
        "llama3_1_8b, rtx_4090, 1, 2048, 256, 0.9, 5.055, 0.09",
        // The planner's report, memory share 0.95.
        "llama3_1_8b, h100_sxm_80gb, 1, 8192, 1024, 0.95, 58.11, 0.01",
        "qwen2_5_7b, h100_sxm_80gb, 1, 8192, 1024, 0.95, 58.53, 0.01",
    })
    void predictsTheCacheSizesOfTheLogs(
            String model,
            String device,
            int tensor,
            int tokens,
            int sequences,
            double share,
            double gib,
            double error) {
        ModelCard card = CardFiles.model(model);
        HardwareCard hardware = CardFiles.hardware(device);
        long usedBytes = new ProfiledMemory(card, hardware, tensor, 1).bytes(tokens, sequences, Sampler.SELECT, false);
        double cache =
                hardware.usableMemGib() * share - (card.size().weightBytes() / (double) tensor + usedBytes) / GIB;
        assertThat(cache).isCloseTo(gib, within(error * gib));
    }

    /** With at most 1,024 sequences, 51 graph sizes for mixed steps and 51 for decode steps. */
    @Test
    void addsGraphMemoryPerLayer() {
        HardwareCard hardware = CardFiles.hardware("h100_sxm_80gb");
        ProfiledMemory memory = new ProfiledMemory(CardFiles.model("llama3_1_8b"), hardware, 1, 1);
        long without = memory.bytes(8192, 1024, Sampler.SELECT, false);
        // The report estimates 0.84 GiB.
        assertThat((memory.bytes(8192, 1024, Sampler.SELECT, true) - without) / GIB)
                .isCloseTo(0.84, within(0.1));
        ProfiledMemory stage = new ProfiledMemory(CardFiles.model("llama3_1_8b"), hardware, 1, 2);
        long graphs = stage.bytes(8192, 4, Sampler.SELECT, true) - stage.bytes(8192, 4, Sampler.SELECT, false);
        assertThat(graphs).as("1, 2, 4, 8 and 1, 2, 4 of 16 layers").isEqualTo(28 * 1_000_000);
    }

    @Test
    void matchesTheCommittedPage() throws IOException {
        String page = Files.readString(PAGE);
        int begin = page.indexOf(BEGIN) + BEGIN.length();
        ReferencePage.assertUpToDate(PAGE, page.substring(0, begin) + table() + page.substring(page.indexOf(END)));
    }

    private static String table() {
        StringBuilder text = new StringBuilder(
                """
                | model | device | TP | tokens | sequences | vLLM | log, GiB | here, GiB | error | source |
                |---|---|---:|---:|---:|---|---:|---:|---:|---|
                """);
        Map<String, Object> cards = new HashMap<>();
        for (Fact fact : facts()) {
            double here = fact.predictedGib(cards);
            text.append(String.format(
                    Locale.ROOT,
                    "| %s | %s | %d | %d | %d | %s | %.2f | %.2f | %+.1f %% | %s |%n",
                    fact.model,
                    fact.device,
                    fact.tensor,
                    fact.tokens,
                    fact.sequences,
                    fact.version,
                    fact.peakGib,
                    here,
                    100 * (here / fact.peakGib - 1),
                    fact.source));
        }
        return text.toString();
    }
}
