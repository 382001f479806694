package dev.stagesim.serving.config;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.RecordTree;
import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Extrapolation;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ProfileSettingsTest {
    private static final HostOverhead.Step STEP = new HostOverhead.Step(1.5, 0.25);

    record Root(@Key("Profile.") ProfileSettings profile) {}

    record PredictorRoot(@Key("Predictor.") PredictorSettings predictor) {}

    record ProfilingRoot(@Key("Profiling.") ProfilingInput profiling) {}

    private static ProfileSettings.Grid defaultGrid() {
        MapNode profile = MapNode.of(Map.of("profiler", ScalarNode.of("roofline", Origin.DEFAULT)), Origin.DEFAULT);
        MapNode tree = MapNode.of(Map.of("profile", profile), Origin.DEFAULT);
        return ((ProfileSettings.Roofline) Binder.bind(tree, Root.class).profile()).grid();
    }

    @Test
    void bindsDefaultsOfRoofline() {
        SettingsContract.assertDefaults(new Root(new ProfileSettings.Roofline(
                defaultGrid(), List.of(1, 2, 4, 8), 16, List.of(), new HostOverhead.None())));
        assertThat(defaultGrid().tokens())
                .startsWith(1, 2, 4, 8)
                .endsWith(16384)
                .isSorted();
        assertThat(defaultGrid().kvTokens()).startsWith(0).isSorted();
        assertThat(defaultGrid().chunks()).startsWith(1).isSorted();
        assertThat(defaultGrid().batchSizes()).startsWith(1).isSorted();
    }

    @Test
    void bindsEveryKeyOfRoofline() {
        SettingsContract.assertEveryKeyNonDefault(new Root(new ProfileSettings.Roofline(
                new ProfileSettings.Grid(List.of(1), List.of(2), List.of(3), List.of(4)),
                List.of(2),
                32,
                List.of(ProfileSettings.EvaluatedPredictor.RANDOM_FOREST),
                new HostOverhead.Linear(STEP, STEP, STEP, STEP, STEP))));
    }

    @Test
    void bindsDefaultsAndKeysOfImport() {
        SettingsContract.assertDefaults(new Root(ProfileDefaults.importing(Path.of("bundle"))));
        SettingsContract.assertEveryKeyNonDefault(new Root(new ProfileSettings.Import(
                Path.of("bundle"),
                Optional.of("a100"),
                Optional.of("model"),
                Optional.of("a100_dgx"),
                List.of(4),
                true,
                true,
                32,
                List.of(
                        ProfileSettings.EvaluatedPredictor.RANDOM_FOREST,
                        ProfileSettings.EvaluatedPredictor.LINEAR_REGRESSION))));
    }

    @Test
    void bindsDefaultsAndKeysOfTorch() {
        SettingsContract.assertDefaults(new Root(KeyRecord.of(
                ProfileSettings.Torch.class,
                Map.ofEntries(
                        entry("grid", defaultGrid()),
                        entry("tensorParallelSizes", List.of(1)),
                        entry("quality", List.of(ProfileSettings.EvaluatedPredictor.INTERPOLATION))))));
        SettingsContract.assertEveryKeyNonDefault(new Root(KeyRecord.of(
                ProfileSettings.Torch.class,
                Map.ofEntries(
                        entry("python", "/usr/bin/python3"),
                        entry("device", ProfileSettings.TorchDevice.CPU),
                        entry("dtype", ProfileSettings.TorchType.FLOAT32),
                        entry("threads", Optional.of(2)),
                        entry("warmup", 1),
                        entry("repeats", 5),
                        entry("grid", new ProfileSettings.Grid(List.of(1), List.of(2), List.of(3), List.of(4))),
                        entry("tensorParallelSizes", List.of(2)),
                        entry("pipelineParallel", true),
                        entry("blockSize", 32),
                        entry("quality", List.of()),
                        entry("timeoutS", 60),
                        entry("stallS", 10)))));
    }

    @Test
    void bindsPredictorAndInput() {
        PredictorSettings.Range none =
                new PredictorSettings.Range(64, Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
        SettingsContract.assertDefaults(new PredictorRoot(new PredictorSettings.Interpolation(
                none, Extrapolation.NONE, Optional.of(0.2), PredictorSettings.Statistic.MEDIAN)));
        PredictorSettings.Range all =
                new PredictorSettings.Range(16, Optional.of(1), Optional.of(2), Optional.of(3), Optional.of(4));
        SettingsContract.assertEveryKeyNonDefault(new PredictorRoot(new PredictorSettings.Interpolation(
                all, Extrapolation.LINEAR, Optional.of(0.4), PredictorSettings.Statistic.MEAN)));
        SettingsContract.assertDefaults(new PredictorRoot(
                new PredictorSettings.RandomForest(none, List.of(250), List.of(16), List.of(2), 10, 42)));
        SettingsContract.assertEveryKeyNonDefault(
                new PredictorRoot(new PredictorSettings.RandomForest(all, List.of(1), List.of(2), List.of(3), 4, 5)));
        List<Boolean> both = List.of(true, false);
        SettingsContract.assertDefaults(new PredictorRoot(
                new PredictorSettings.LinearRegression(none, List.of(1, 2, 3, 4, 5), both, both, both, 10)));
        SettingsContract.assertEveryKeyNonDefault(new PredictorRoot(new PredictorSettings.LinearRegression(
                all, List.of(1), List.of(true), List.of(false), List.of(true), 4)));
        SettingsContract.assertDefaults(new PredictorRoot(new PredictorSettings.Tables(Path.of("tables"), 64)));
        SettingsContract.assertEveryKeyNonDefault(
                new PredictorRoot(new PredictorSettings.Tables(Path.of("tables"), 16)));
        SettingsContract.assertDefaults(new ProfilingRoot(new ProfilingInput(Optional.empty())));
        SettingsContract.assertEveryKeyNonDefault(new ProfilingRoot(new ProfilingInput(Optional.of(Path.of("run")))));
    }

    @Test
    void selectsTheVariantByProfiler() {
        MapNode tree = RecordTree.of(new Root(ProfileDefaults.importing(Path.of("bundle"), 1)));
        MapNode profile = (MapNode) tree.get("profile");
        assertThat(profile.entries()).containsKey("profiler").doesNotContainKey("kind");
        MapNode wrong = tree.with("profile", profile.with("profiler", ScalarNode.of("measured", Origin.DEFAULT)));
        assertThatThrownBy(() -> Binder.bind(wrong, Root.class))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("profile.profiler")
                .hasMessageContaining("roofline, import, torch");
    }

    @Test
    void reportsTheMissingRootOfAnImport() {
        MapNode profile = MapNode.of(Map.of("profiler", ScalarNode.of("import", Origin.DEFAULT)), Origin.DEFAULT);
        MapNode tree = MapNode.of(Map.of("profile", profile), Origin.DEFAULT);
        BindOptions options = BindOptions.STRICT.withGroups(
                path -> path.equals("profile") ? List.of("import", "roofline") : List.of());
        assertThatThrownBy(() -> Binder.bind(tree, Root.class, options))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("profile.root: no value given");
    }

    @Test
    void treatsZeroHostTimesAsAbsent() {
        HostOverhead.Step zero = new HostOverhead.Step(0, 0);
        assertThatThrownBy(() -> new HostOverhead.Linear(zero, zero, zero, zero, zero))
                .hasMessageContaining("every host overhead is 0")
                .hasMessageContaining("profile.host.schedule.base_us=");
    }

    @Test
    void rejectsRooflineKeysWithImport() {
        MapNode tree = RecordTree.of(new Root(ProfileDefaults.importing(Path.of("bundle"), 1)));
        MapNode profile = (MapNode) tree.get("profile");
        MapNode wrong = tree.with("profile", profile.with("grid", MapNode.empty()));
        assertThatThrownBy(() -> Binder.bind(wrong, Root.class))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("profile.grid")
                .hasMessageContaining("set profile.profiler=roofline");
    }
}
