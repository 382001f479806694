package dev.stagesim.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.serving.EngineChoice;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * The KV cache shrinks if a device has less memory. The visible memory is the limit if it is smaller than the card's
 * size.
 */
final class DeviceMemoryTest {
    /** In ascending order of usable memory. 79.19 GiB are visible on the shipped card. */
    private static final List<String> MEMORY = List.of(
            "hardware.mem_gb=40",
            "hardware.mem_gb=60",
            "hardware.visible_mem_gib=70",
            "hardware.mem_gb=79.1",
            "hardware.mem_gb=80");

    @TempDir
    private Path work;

    private Run run(String stage, String... more) {
        return TestRuns.run(work, stage, List.of("model=llama3_8b", "hardware=h100"), more);
    }

    @ParameterizedTest
    @ValueSource(strings = {"vllm_v1", "sglang"})
    void increasesBlocksWithDeviceMemory(String engine) throws IOException {
        double last = 0;
        for (String memory : MEMORY) {
            Run run = run("vidur_sim", "engine=" + engine, "workload.num_requests=2", memory);
            double blocks = Json.read(run.dir().resolve("engine.json"))
                    .get("num_blocks")
                    .asDouble();
            assertThat(blocks).as(memory).isGreaterThan(last);
            last = blocks;
        }
    }

    /** Calls the shared code of {@code cluster_sim} and {@code plan}. */
    @ParameterizedTest
    @ValueSource(strings = {"vllm_v1", "sglang"})
    void increasesKvTokensWithDeviceMemory(String engine) {
        EngineChoice.Shape shape = new EngineChoice.Shape(
                engine, CardFiles.engine(engine), 1, 1, Precision.BF16, Precision.BF16, Precision.BF16);
        long last = 0;
        for (String memory : MEMORY) {
            long tokens = new EngineChoice(shape, 64, 2048)
                    .replica(CardFiles.model("llama3_8b"), CardFiles.hardware("h100", memory), Optional.of(0.9), 4096)
                    .kvTokens();
            assertThat(tokens).as(memory).isGreaterThan(last);
            last = tokens;
        }
    }

    @Test
    void namesTheLimitingKeyWhenMemoryIsTooSmall() {
        for (String key : List.of("hardware.mem_gb", "hardware.visible_mem_gib", "cluster.memory_gib")) {
            rejected(key + ": not enough memory", "vidur_sim", "engine=vllm_v1", key + "=1");
        }
        rejected("not enough memory for a single request: 1.0 GiB", "cluster_sim", "hardware.mem_gb=1");
        rejected(
                "hardware.visible_mem_gib: leaves",
                "vidur_sim",
                "engine=vllm_v1",
                "hardware.mem_gb=9e6",
                "hardware.visible_mem_gib=8e6");
    }

    @Test
    void findsNoPlanWhenTheDeviceIsTooSmall() throws IOException {
        Run run = run("plan", "load=1", "hardware.mem_gb=1");
        assertThat(Files.readString(run.dir().resolve("summary.md"))).contains("do not fit in 1 GiB");
    }

    private void rejected(String why, String stage, String... more) {
        assertThatThrownBy(() -> run(stage, more))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(why);
    }
}
