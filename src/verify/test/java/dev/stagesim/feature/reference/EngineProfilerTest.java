package dev.stagesim.feature.reference;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.bundle.Bundle;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.measure.Defaults;
import dev.stagesim.predict.Operator;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.config.ProfileDefaults;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.vidurprofile.VidurProfileSettings;
import dev.stagesim.stage.vidurprofile.VidurProfileStage;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Profiling bundles of the reference engine. */
class EngineProfilerTest {
    private static final EngineSettings ENGINE =
            new EngineSettings(1, 50, EngineSettings.Clock.MONOTONIC, 0, Defaults.noEngine());
    private final FileSystem disk = Jimfs.newFileSystem(Configuration.unix());
    private final Path out = disk.getPath("/out");
    private final FakeContext context = new FakeContext(out, disk.getPath("/home"));
    private final VidurProfileStage stage = new VidurProfileStage();

    private static VidurProfileSettings settings(List<Integer> batchSizes, EngineSettings engine) {
        ProfileSettings.EngineGrid grid =
                new ProfileSettings.EngineGrid(List.of(1, 2, 4, 8), List.of(2, 8), List.of(0, 8, 16), batchSizes);
        return new VidurProfileSettings(
                Defaults.model(),
                Defaults.hardware(),
                new ProfileSettings.Reference(2, grid, 16, List.of(ProfileSettings.EvaluatedPredictor.INTERPOLATION)),
                engine);
    }

    @Test
    void writesBundleWithEveryOperatorAndHostTimes() throws IOException {
        Files.createDirectories(out);
        stage.run(settings(List.of(1, 2), ENGINE), context);
        BundleRequest request = BundleRequest.of(Defaults.model(), Defaults.hardware())
                .onDevices(1, 1)
                .withBlockSize(16);
        assertThat(BundleReader.hasHostOverheads(out, request)).isTrue();
        Bundle bundle = BundleReader.read(out, request.withHostOverheads(true));
        assertThat(bundle.warnings()).isEmpty();
        for (Operator operator :
                List.of(Operator.ATTN_PRE_PROJ, Operator.MLP_DOWN_PROJ, Operator.ATTN_ROPE, Operator.SAMPLER_E2E)) {
            var curve = bundle.profile().curve(operator).orElseThrow();
            assertThat(curve.rows()).isGreaterThan(1);
            assertThat(curve.milliseconds(curve.rows() - 1))
                    .as(operator.column())
                    .isPositive();
        }
        assertThat(bundle.profile().prefill().rows()).isEqualTo(6);
        assertThat(bundle.profile().decode().rows()).isEqualTo(6);
        LocatedJson provenance = Json.read(out.resolve("provenance.json"));
        assertThat(provenance.get("profiler").asString()).isEqualTo("reference");
        assertThat(provenance.get("measured").asBool()).isTrue();
        assertThat(provenance.get("clock").asString()).isEqualTo("monotonic");
        assertThat(Files.readString(out.resolve("summary.md"))).contains("Measured with the reference engine");
        assertThat(context.headlines).containsEntry("host_rows", 2.0);
        assertThat(context.warnings).contains("the engine was not warmed up (engine.warm_up=0)");
    }

    @Test
    void dependsOnMachineAndEngine() {
        VidurProfileSettings settings = settings(List.of(1), ENGINE);
        assertThat(stage.measures(settings)).isTrue();
        assertThat(stage.ignoredSections(settings)).isEmpty();
        assertThat(stage.ignoredSections(new VidurProfileSettings(
                        Defaults.model(), Defaults.hardware(), ProfileDefaults.importing(Path.of("bundle")), ENGINE)))
                .containsExactly("engine");
    }

    @Test
    void rejectsEmptyGridsAndLargeModelsTogether() {
        VidurProfileSettings settings =
                settings(List.of(), new EngineSettings(1, 0, EngineSettings.Clock.MONOTONIC, 0, Defaults.noEngine()));
        assertThatThrownBy(() -> stage.check(settings, Path.of("/home")))
                .hasMessageContaining("profile.grid.batch_sizes: the list is empty")
                .hasMessageContaining("more than engine.max_parameters_m=0");
    }
}
