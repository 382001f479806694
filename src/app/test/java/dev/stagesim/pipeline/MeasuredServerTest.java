package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.api.Stagesim;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The settings of a measured server as defaults of the simulated one. */
final class MeasuredServerTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    private final FileSystem memory = Jimfs.newFileSystem(Configuration.unix());
    private final Path work = memory.getPath("/work");
    private final Stagesim stagesim = Stagesim.open(HOME, work);

    @BeforeEach
    void write() throws IOException {
        write("live/measurement.json", "{'settings':{'block_size':'128','num_gpu_blocks':'1024'},'engine':{}}");
        write("log/measurement.json", "{'settings':{},'engine':{'async_scheduling':false,'block_size':'None'}}");
        write("bundle/calibration.json", "{}");
        write(
                "bundle/config/config.json",
                "{'scheduler':{'kind':'vllm_v1','block_size':64,'num_gpu_blocks_override':null,'async_scheduling':true}}");
    }

    private void write(String file, String json) throws IOException {
        Files.createDirectories(work.resolve(file).getParent());
        Files.writeString(work.resolve(file), json.replace('\'', '"'));
    }

    @AfterEach
    void close() throws IOException {
        memory.close();
    }

    private LocatedJson scheduler(String stage, String... words) {
        return Json.parse(stagesim.config(stage, words), "config").get("scheduler");
    }

    @ParameterizedTest
    @ValueSource(strings = {"compare", "calibrate"})
    void simulatesTheCacheOfTheServer(String stage) {
        LocatedJson scheduler = scheduler(stage, "engine=vllm_v1", "real.dir=live");
        assertThat(scheduler.get("block_size").asInt()).isEqualTo(128);
        assertThat(scheduler.get("num_gpu_blocks_override").asInt()).isEqualTo(1024);
        assertThat(scheduler.get("async_scheduling").isNull()).isTrue();
    }

    @Test
    void readsAllRunsOfACalibration() {
        LocatedJson scheduler = scheduler("calibrate", "real.dir=live", "calibrate.runs=[log]");
        assertThat(scheduler.get("block_size").asInt()).isEqualTo(128);
        assertThat(scheduler.get("async_scheduling").asBool()).isFalse();
    }

    @Test
    void keepsGivenValues() {
        LocatedJson scheduler = scheduler("compare", "real.dir=live", "scheduler.block_size=64");
        assertThat(scheduler.get("block_size").asInt()).isEqualTo(64);
        assertThat(scheduler.get("num_gpu_blocks_override").isNull()).isTrue();
        LocatedJson blocks = scheduler("compare", "real.dir=live", "scheduler.num_gpu_blocks_override=90");
        assertThat(blocks.get("block_size").asInt()).isEqualTo(16);
        assertThat(blocks.get("num_gpu_blocks_override").asInt()).isEqualTo(90);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "scheduler.gpu_memory_utilization=0.8",
                "model.kv_cache=fp8",
                "kv_cache=fp8",
                "tp=2",
                "cluster.num_pipeline_stages=2"
            })
    void plansACacheThatTheUserSizes(String word) {
        LocatedJson scheduler = scheduler("compare", "real.dir=live", word);
        assertThat(scheduler.get("block_size").asInt()).isEqualTo(128);
        assertThat(scheduler.get("num_gpu_blocks_override").isNull()).isTrue();
    }

    @Test
    void prefersTheSettingsOfACalibratedBundle() {
        LocatedJson scheduler = scheduler("compare", "real.dir=live", "profiling.root=bundle");
        assertThat(scheduler.get("block_size").asInt()).isEqualTo(64);
        assertThat(scheduler.get("num_gpu_blocks_override").isNull()).isTrue();
        assertThat(scheduler.get("async_scheduling").asBool()).isTrue();
        assertThat(scheduler("vidur_sim", "profiling.root=bundle")
                        .get("block_size")
                        .asInt())
                .isEqualTo(64);
    }

    @Test
    void leavesOtherSchedulersAndAbsentRunsAlone() {
        assertThat(scheduler("compare", "real.dir=live", "engine=sarathi")
                        .get("block_size")
                        .asInt())
                .isEqualTo(16);
        assertThat(scheduler("compare", "real.dir=absent").get("block_size").asInt())
                .isEqualTo(16);
    }
}
