package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.kernels.ProfiledMemory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Compares KV-cache sizes of whole runs with shipped cards with vLLM's table of cache sizes. */
final class HybridCacheTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final int TOKENS = 8192;

    @TempDir
    private Path work;

    /** Rows gptoss-20b, gemma3-like (the layers of Gemma 3 4B), gqa-8b and gqa-70b-tp4. */
    @ParameterizedTest
    @CsvSource({
        "gpt_oss_20b, 1, 10737418240, 131072, 27306",
        "gemma3_4b, 1, 32212254720, 131072, 98304",
        "llama3_1_8b, 1, 53687091200, 32768, 25600",
        "llama3_1_70b, 4, 32212254720, 131072, 24576",
    })
    void allocatesTheBlocksOfVllm(String model, int tensor, long bytes, int longest, long blocks) throws IOException {
        ModelCard card = CardFiles.model(model);
        long usedBytes = new ProfiledMemory(card, CardFiles.hardware("h100"), tensor, 1)
                .bytes(TOKENS, 256, ProfiledMemory.Sampler.SELECT, true);
        long weights = (card.size().weightBytes() + tensor - 1) / tensor;
        Run run = Stagesim.open(HOME, work)
                .run(
                        "vidur_sim",
                        "model=" + model,
                        "hardware=h100",
                        "engine=vllm_v1",
                        "workload.num_requests=2",
                        "simulation.max_tokens=" + longest,
                        "scheduler.max_num_batched_tokens=" + TOKENS,
                        "scheduler.max_num_seqs=256",
                        "scheduler.gpu_memory_utilization=1",
                        "cluster.tensor_parallel_size=" + tensor,
                        "cluster.memory_gib=" + (bytes + usedBytes + weights) / (double) (1L << 30));
        assertThat(Files.readString(run.dir().resolve("engine.json"))).contains("\"num_blocks\": " + blocks);
    }
}
