package dev.stagesim.feature.fabric;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.capacity.AtlasSettings;
import dev.stagesim.capacity.AutoscaleSettings;
import dev.stagesim.capacity.CatalogWorkload;
import dev.stagesim.capacity.GridSettings;
import dev.stagesim.capacity.SearchSettings;
import dev.stagesim.capacity.SloSettings;
import dev.stagesim.capacity.SpreadSettings;
import dev.stagesim.capacity.TargetSettings;
import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.feature.fabric.FabricStageSettings.Calibration;
import dev.stagesim.feature.fabric.FabricStageSettings.Measured;
import dev.stagesim.feature.fabric.FabricStageSettings.Mode;
import dev.stagesim.feature.fabric.FabricStageSettings.Source;
import dev.stagesim.feature.fabric.FabricStageSettings.Step;
import dev.stagesim.measure.Defaults;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.sim.capacity.AcceleratorCard;
import dev.stagesim.sim.capacity.QueueProfile;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class FabricStageSettingsTest {
    private static final CatalogWorkload.Tuning NO_TUNING = new CatalogWorkload.Tuning(
            Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty());
    private static final CatalogWorkload.Sequence NO_SEQUENCE =
            new CatalogWorkload.Sequence(Optional.empty(), Optional.empty());

    private static AcceleratorCard usualCard() {
        return KeyRecord.of(
                AcceleratorCard.class, Map.of("fabricFactors", Map.of("IB", 1.0, "RoCE", 1.1, "Vendor", 1.0)));
    }

    private static AcceleratorCard otherCard() {
        return new AcceleratorCard(
                new AcceleratorCard.TokenRate(Optional.of(7.0), 2, 3, 0.5, 5),
                new AcceleratorCard.UtilisationTerms(0.6, 0.04, 0.05, 0.1, 0.7),
                new AcceleratorCard.OverheadTerms(0.03, 0.04, 0.05, 2, Map.of("IB", 2.0), 0.06, 0.9, 0.07),
                new AcceleratorCard.LatencyTerms(5, Optional.of(8.0), 2, 2.5, 3.2, 0.3, 0.9),
                new AcceleratorCard.BandwidthTerms(0.5, 0.6, 4096, 0.95),
                0.002,
                new AcceleratorCard.JitterTerms(0.03, 0.6),
                0.4);
    }

    private static CatalogWorkload emptyWorkload() {
        return KeyRecord.of(
                CatalogWorkload.class,
                Map.ofEntries(
                        entry(
                                "params",
                                new CatalogWorkload.Params(
                                        Optional.empty(), Optional.empty(), Optional.empty(), Optional.empty())),
                        entry("parallelism", new CatalogWorkload.Parallelism(1, 1, 1)),
                        entry("sequence", NO_SEQUENCE),
                        entry("precision", new CatalogWorkload.Precision(Optional.empty(), Optional.empty())),
                        entry("runtimeTuning", NO_TUNING),
                        entry("schedule", new CatalogWorkload.Schedule(Optional.empty(), List.of()))));
    }

    @Test
    void hasTheDocumentedDefaults() {
        SettingsContract.assertDefaults(Defaults.of(
                FabricStageSettings.class,
                Map.ofEntries(
                        entry("workload", emptyWorkload()),
                        entry(
                                "target",
                                new TargetSettings(
                                        "t",
                                        Defaults.hardware(),
                                        8,
                                        1,
                                        new TargetSettings.Cost(
                                                Optional.empty(), Optional.empty(), Optional.empty(), true),
                                        new TargetSettings.Power(Optional.empty(), 0.35, 1.25),
                                        new TargetSettings.Links(Optional.empty(), Optional.empty(), 250, 1000),
                                        usualCard(),
                                        Optional.empty())),
                        entry("tuning", NO_TUNING),
                        entry(
                                "slo",
                                new SloSettings(
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty())),
                        entry("autoscale", new AutoscaleSettings(true, 1, 64, 0.7)),
                        entry("grid", new GridSettings("g", 1, 1, 1, 0.12, "s")),
                        entry("uncertainty", new SpreadSettings(0.3, 0.15, 0.1, 2000, 0.9, 42)),
                        entry(
                                "search",
                                KeyRecord.of(
                                        SearchSettings.class,
                                        Map.ofEntries(
                                                entry("tensorParallelSizes", List.of(1, 2, 4, 8)),
                                                entry("pipelineStages", List.of(1)),
                                                entry("schedulers", List.of(SearchSettings.Policy.VLLM_V1)),
                                                entry("batchSizes", List.of(32, 64, 128, 256)),
                                                entry("chunkSizes", List.of(512, 2048, 8192)),
                                                entry("loads", List.of(0.5, 0.8)),
                                                entry("microbatches", List.of(1, 2, 4, 8)),
                                                entry("trainingNodes", List.of(1, 2, 4, 8, 16, 32))))),
                        entry("calibration", new Calibration(List.of(), 0.95)),
                        entry("scheduler", KeyRecord.defaults(SchedulerSettings.VllmV1.class)),
                        entry("real", new Measured(Optional.empty())),
                        entry("train", new Step(Optional.empty(), 0.65)),
                        entry(
                                "atlas",
                                new AtlasSettings(
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        Optional.empty(),
                                        "1337",
                                        "2025",
                                        120,
                                        List.of())))));
    }

    private static CatalogWorkload fullWorkload() {
        CatalogWorkload.Sequence sequence = new CatalogWorkload.Sequence(Optional.of(5), Optional.of(6));
        return KeyRecord.of(
                CatalogWorkload.class,
                Map.ofEntries(
                        entry("dir", Optional.of(Path.of("d"))),
                        entry("file", Optional.of(Path.of("f"))),
                        entry("entry", Optional.of("e")),
                        entry("name", Optional.of("n")),
                        entry("framework", Optional.of("fw")),
                        entry("modelFamily", Optional.of("mf")),
                        entry(
                                "params",
                                new CatalogWorkload.Params(
                                        Optional.of(1), Optional.of(2), Optional.of(3), Optional.of(4))),
                        entry("parallelism", new CatalogWorkload.Parallelism(2, 3, 4)),
                        entry("sequence", sequence),
                        entry("precision", new CatalogWorkload.Precision(Optional.of("a"), Optional.of("b"))),
                        entry("dataloader", Optional.of("replay")),
                        entry("durationMinutes", Optional.of(7.0)),
                        entry("track", Optional.of(CatalogWorkload.Track.BEST)),
                        entry("notes", Optional.of("notes")),
                        entry("runtimeTuning", fullTuning()),
                        entry(
                                "schedule",
                                new CatalogWorkload.Schedule(
                                        Optional.of(QueueProfile.PEAK),
                                        List.of(new CatalogWorkload.Phase(
                                                Optional.of("p"),
                                                Optional.of(8.0),
                                                Optional.of(0.5),
                                                Optional.of(2.0),
                                                Optional.of(QueueProfile.LOW),
                                                new CatalogWorkload.Arrival(
                                                        Optional.of(1.0),
                                                        Optional.of(2.0),
                                                        Optional.of(3.0),
                                                        Optional.of(4),
                                                        Optional.of(5)),
                                                new CatalogWorkload.Overrides(sequence, Optional.of(9)))))),
                        entry("custom", Map.of("own", "key")),
                        entry("requestsPerPhase", 10),
                        entry("seed", Optional.of(11L))));
    }

    private static CatalogWorkload.Tuning fullTuning() {
        return new CatalogWorkload.Tuning(
                Optional.of(3),
                Optional.of(true),
                Optional.of(false),
                Optional.of(CatalogWorkload.Virtualisation.SRIOV),
                Optional.of("RoCE"));
    }

    @Test
    void bindsEveryKey() {
        TargetSettings target = new TargetSettings(
                "t",
                EveryKey.hardware(),
                4,
                2,
                new TargetSettings.Cost(Optional.of(1.0), Optional.of(0.5), Optional.of(2.0), false),
                new TargetSettings.Power(Optional.of(100.0), 0.5, 1.5),
                new TargetSettings.Links(Optional.of(10.0), Optional.of(5.0), 100, 200),
                otherCard(),
                Optional.of("src"));
        SettingsContract.assertEveryKeyNonDefault(EveryKey.of(
                FabricStageSettings.class,
                Map.ofEntries(
                        entry("workload", fullWorkload()),
                        entry("target", target),
                        entry("targets", Map.of("x", target)),
                        entry("source", Source.MEASURED),
                        entry("track", Optional.of(CatalogWorkload.Track.PARITY)),
                        entry("tuning", fullTuning()),
                        entry(
                                "slo",
                                new SloSettings(
                                        Optional.of(1.0),
                                        Optional.of(2.0),
                                        Optional.of(3.0),
                                        Optional.of(4.0),
                                        Optional.of(5.0))),
                        entry("autoscale", new AutoscaleSettings(false, 2, 3, 0.6)),
                        entry("grid", new GridSettings("g", 2, 1, 3, 0.2, "s")),
                        entry("uncertainty", new SpreadSettings(0.4, 0.2, 0.3, 500, 0.8, 7)),
                        entry("optimize", true),
                        entry(
                                "search",
                                KeyRecord.of(
                                        SearchSettings.class,
                                        Map.ofEntries(
                                                entry("tensorParallelSizes", List.of(2)),
                                                entry("pipelineStages", List.of(2)),
                                                entry("schedulers", List.of(SearchSettings.Policy.VLLM)),
                                                entry("batchSizes", List.of(8)),
                                                entry("chunkSizes", List.of(64)),
                                                entry("loads", List.of(0.6)),
                                                entry("microbatches", List.of(3)),
                                                entry("trainingNodes", List.of(5)),
                                                entry("requests", 50),
                                                entry("reportRows", 7)))),
                        entry("calibration", new Calibration(List.of(Path.of("r")), 0.9)),
                        entry("real", new Measured(Optional.of(Path.of("m")))),
                        entry("train", new Step(Optional.of(Path.of("s")), 0.5)),
                        entry(
                                "atlas",
                                new AtlasSettings(
                                        Optional.of(Path.of("a")),
                                        Optional.of(Path.of("b")),
                                        Optional.of("c"),
                                        Optional.of("d"),
                                        Optional.of(Path.of("e")),
                                        "1",
                                        "2",
                                        3,
                                        List.of(Path.of("q")))),
                        entry("compat", Mode.ATLAS))));
    }

    @Test
    void bindsEveryTargetAndGridOption() throws IOException {
        for (String group : List.of("target", "grid")) {
            try (Stream<Path> files = Files.list(Path.of("configs", group))) {
                for (Path file : files.toList()) {
                    String option = file.getFileName().toString().replace(".conf", "");
                    assertThat(FabricRuns.settings(group + "=" + option)).isNotNull();
                }
            }
        }
        assertThat(FabricRuns.settings("target=a100_8x").hardware().name()).isEqualTo("A100-SXM-80GB");
    }
}
