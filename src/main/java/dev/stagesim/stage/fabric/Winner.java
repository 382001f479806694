package dev.stagesim.stage.fabric;

import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.settings.CatalogWorkload;
import dev.stagesim.sim.serving.SchedulerSpec;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageContext.SameAs;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Keeps the configuration of the winner, ready to run. */
final class Winner {
    /** Directory of the kept configuration below the run's. */
    static final String FOLDER = "winner";

    private Winner() {}

    static void keep(FabricStageSettings settings, Result result, StageContext context) throws IOException {
        Plan plan = result.winner().orElseThrow().plan();
        context.keepConfig(FOLDER, changes(settings, plan, result.entry()));
    }

    static Map<String, Object> changes(FabricStageSettings settings, Plan plan, CatalogEntry entry) {
        Deployment deployment = plan.deployment();
        int nodes = (int) plan.figure(Plan.NODES);
        int copies = plan.detail() > 0
                ? Math.max(1, nodes * deployment.target().acceleratorsPerNode() / deployment.devices())
                : deployment.copies(nodes);
        Map<String, Object> changes = new LinkedHashMap<>();
        boolean written = settings.workload() instanceof CatalogWorkload catalog
                && catalog.dir().isEmpty()
                && catalog.file().isEmpty();
        if (!written) {
            changes.put("workload", EntryConfig.of(entry.tree()));
        }
        if (settings.targets().containsKey(deployment.id())) {
            changes.put("target", new SameAs("targets." + deployment.id()));
            changes.put("hardware", new SameAs("targets." + deployment.id() + ".device"));
        }
        changes.put("target.num_nodes", nodes);
        changes.put("workload.parallelism.tp", deployment.tp());
        changes.put("workload.parallelism.pp", deployment.pp());
        changes.put("workload.parallelism.dp", copies);
        changes.put("cluster.tensor_parallel_size", deployment.tp());
        changes.put("cluster.num_pipeline_stages", deployment.pp());
        changes.put("cluster.replicas", copies);
        changes.put("optimize", false);
        if (plan.detail() > 0) {
            changes.put("tuning.microbatch", plan.detail());
            // the step that was named is one of the devices that were stated, not of the winner's
            changes.put("train.dir", Optional.empty());
        } else {
            changes.put("scheduler", scheduler(deployment.scheduler()));
            changes.put("autoscale.target_utilization", plan.load());
        }
        if (entry.best()) {
            changes.put("track", "parity");
        } else {
            changes.put(
                    "track", settings.track().map(track -> (Object) "parity").orElse(Optional.empty()));
        }
        return changes;
    }

    private static Map<String, Object> scheduler(SchedulerSpec scheduler) {
        Map<String, Object> section = new LinkedHashMap<>();
        if (scheduler instanceof SchedulerSpec.Vllm vllm) {
            section.put("kind", "vllm");
            section.put("max_tokens_in_batch", vllm.maxTokensInBatch());
        } else if (scheduler instanceof SchedulerSpec.Sarathi sarathi) {
            section.put("kind", "sarathi");
            section.put("chunk_size", sarathi.chunkSize());
        } else {
            throw new IllegalStateException("the optimiser tries no " + scheduler.getClass());
        }
        section.put("batch_size_cap", scheduler.limits().batchSizeCap());
        section.put("block_size", scheduler.limits().blockSize());
        section.put("watermark_blocks_fraction", scheduler.limits().watermark());
        return section;
    }
}
