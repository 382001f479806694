package dev.stagesim.feature.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.bench.engine.Artifact;
import dev.stagesim.bench.engine.Engine;
import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.bench.engine.Engines;
import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.SchemaKeys;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.measure.BenchSettings;
import dev.stagesim.model.StageException;
import dev.stagesim.stage.realbench.RealBenchSettings;
import dev.stagesim.workload.TfWorkload;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Tests the plan of a measurement, on machines with and without a GPU. */
class FrameworkPlanTest {
    @TempDir
    private Path dir;

    private EngineStore store = new EngineStore(List.of(), Path.of(""));

    /** Creates both engines as sparse files of the expected size. */
    @BeforeEach
    void install() throws IOException {
        store = new EngineStore(List.of(dir), dir.resolve("none"));
        for (String name : List.of("tf", "tf_gpu")) {
            Engine engine = Engines.find(name);
            Path folder = Files.createDirectories(dir.resolve(name).resolve(engine.version()));
            for (Artifact artifact : engine.artifacts()) {
                try (RandomAccessFile file =
                        new RandomAccessFile(folder.resolve(artifact.file()).toFile(), "rw")) {
                    file.setLength(artifact.bytes());
                }
            }
        }
    }

    private FrameworkPlan plan(boolean isVisible, String... overrides) {
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", Path.of("configs"))));
        List<String> all = new ArrayList<>(List.of("bench=tf"));
        all.addAll(List.of(overrides));
        ComposeRequest request = ComposeRequest.of("real_bench", all)
                .withSchema(new SchemaKeys(SettingsSchema.of(RealBenchSettings.class)));
        RealBenchSettings settings = Binder.bind(engine.compose(request).config(), RealBenchSettings.class);
        return FrameworkPlan.of(
                (TfWorkload) settings.workload(),
                settings.suite(),
                (BenchSettings.Tf) settings.bench(),
                store,
                isVisible);
    }

    @Test
    void rejectsAGpuWorkloadWithoutAGpuByDefault() {
        assertThatThrownBy(() -> plan(false, "workload=tf/mlp_a"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("MLP-A needs a GPU; none is visible")
                .hasMessageContaining("bench.on_missing_device=cpu");
        FrameworkPlan instead = plan(false, "workload=tf/mlp_b", "bench.on_missing_device=cpu");
        assertThat(instead.engine().name()).isEqualTo("tf");
        assertThat(instead.isGpu()).isFalse();
        assertThat(instead.precision()).isEqualTo("BFLOAT16");
        assertThat(instead.substitutions())
                .contains("device: the processor instead of a GPU", "precision: bfloat16 instead of float16");
    }

    @Test
    void usesTheGpuEngineAndPrecisionWhenAGpuIsVisible() {
        FrameworkPlan plan = plan(true, "workload=tf/mlp_b");
        assertThat(plan.engine().name()).isEqualTo("tf_gpu");
        assertThat(plan.isGpu()).isTrue();
        assertThat(plan.precision()).isEqualTo("HALF");
        assertThat(plan.isCompiled()).isTrue();
        assertThat(plan.substitutions()).hasSize(1).first().asString().startsWith("graph:");
        assertThat(plan(true, "workload=tf/mlp_c").isGpu()).isFalse();
    }

    @Test
    void compilesStepsWhenTheWorkloadRequiresIt() {
        assertThat(plan(true, "workload=tf/mlp_a").isCompiled()).isFalse();
        assertThat(plan(true, "workload=tf/mlp_b", "bench.xla=off").substitutions())
                .contains("XLA: off instead of on");
        assertThat(plan(false, "workload=tf/mlp_c", "bench.xla=on").substitutions())
                .contains("XLA: on instead of off");
        FrameworkPlan varying = plan(false, "workload=tf/lstm_c", "bench.xla=on");
        assertThat(varying.isCompiled()).isFalse();
        assertThat(varying.substitutions().toString()).contains("sequences vary in length");
    }

    @Test
    void reportsThreadsAndReferenceBugs() {
        FrameworkPlan one = plan(false, "workload=tf/rnn_e", "bench.threads=one");
        assertThat(one.isOneThread()).isTrue();
        assertThat(one.substitutions())
                .contains("threads: 1 x 1 instead of 32 x 16")
                .contains("input: the source restarts at its end; the original program runs out of data");
        assertThat(plan(false, "workload=tf/rnn_e", "bench.defects=true")
                        .substitutions()
                        .toString())
                .doesNotContain("input:");
    }

    @Test
    void pinsEngineVersions() {
        for (Engine engine : Engines.all()) {
            assertThat(engine.artifacts())
                    .isNotEmpty()
                    .allMatch(one -> one.bytes() > 0)
                    .allMatch(one -> one.sha256().matches("[0-9a-f]{64}"));
        }
    }

    @Test
    void detectsAGpuUnlessItIsHidden() throws IOException {
        Path devices = Jimfs.newFileSystem(Configuration.unix()).getPath("/dev");
        assertThat(VisibleGpus.any(devices, Optional.empty())).isFalse();
        Files.createDirectory(devices);
        Files.createFile(devices.resolve("nvidiactl"));
        assertThat(VisibleGpus.any(devices, Optional.empty())).isFalse();
        Files.createFile(devices.resolve("nvidia3"));
        assertThat(VisibleGpus.any(devices, Optional.empty())).isTrue();
        assertThat(VisibleGpus.any(devices, Optional.of("0"))).isTrue();
        assertThat(VisibleGpus.any(devices, Optional.of("-1"))).isFalse();
        assertThat(VisibleGpus.any(devices, Optional.of(""))).isFalse();
    }
}
