package dev.stagesim.feature.fabric;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.fabric.WinnerConfig.EntryConfig;
import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.serving.spec.SchedulerSettings;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.stage.StageContext.SameAs;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class WinnerConfigTest {
    private static FabricPlan plan(FabricStageSettings settings, int detail) {
        SchedulerSettings scheduler = new SchedulerSpec.Vllm(new SchedulerSpec.Limits(64, 16, 0.01, 0), 8192);
        TargetPlacement deployment =
                new TargetPlacement("a100_8x", settings.machines().targets().get("a100_8x"), 2, 1, scheduler);
        return new FabricPlan(
                deployment, 0.5, detail, Optional.empty(), Optional.empty(), List.of(), Map.of(FabricPlan.NODES, 3.0));
    }

    @Test
    void writesTheSettingsOfTheWinner() {
        FabricStageSettings settings = FabricRuns.settings();
        Map<String, Object> changes = WinnerConfig.changes(settings, plan(settings, 0), MeasuredRuns.entry());
        assertThat(changes)
                .containsEntry("target", new SameAs("targets.a100_8x"))
                .containsEntry("hardware", new SameAs("targets.a100_8x.device"))
                .containsEntry("target.num_nodes", 3)
                .containsEntry("workload.parallelism.dp", 12)
                .containsEntry("cluster.replicas", 12)
                .containsEntry("autoscale.target_utilization", 0.5)
                .containsEntry("optimize", false)
                .doesNotContainKey("workload");
        assertThat((Map<?, ?>) changes.get("scheduler"))
                .hasToString("{kind=vllm, batch_size_cap=64, max_tokens_in_batch=8192}");
        assertThat(WinnerConfig.changes(
                        FabricRuns.settings("scheduler=vllm", "scheduler.block_size=32"),
                        plan(settings, 0),
                        MeasuredRuns.entry()))
                .containsEntry("scheduler.block_size", 16)
                .containsEntry("scheduler.batch_size_cap", 64)
                .doesNotContainKey("scheduler");
    }

    @Test
    void writesAWorkloadFromAFileInFull() {
        FabricStageSettings settings =
                FabricRuns.settings("workload=catalog", "workload.file=w.yaml", "train.dir=unread");
        Map<String, Object> changes = WinnerConfig.changes(settings, plan(settings, 4), MeasuredRuns.entry());
        assertThat(changes).containsEntry("tuning.microbatch", 4).containsEntry("train.dir", Optional.empty());
        JsonValue.Obj tree = MeasuredRuns.tree().with("own", JsonValue.of(List.of(JsonValue.of(1))));
        Map<String, Object> section = EntryConfig.of(tree);
        assertThat(section).containsEntry("kind", "catalog").containsEntry("custom", Map.of("own", "[1]"));
        assertThat((Map<?, ?>) section.get("schedule"))
                .hasToString("{phases=[{arrival={requests_per_sec=30, arrival_cv=1}}]}");
        assertThat(changes.get("workload")).isInstanceOf(Map.class);
    }
}
