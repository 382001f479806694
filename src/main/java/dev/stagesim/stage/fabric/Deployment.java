package dev.stagesim.stage.fabric;

import dev.stagesim.settings.TargetSettings;
import dev.stagesim.sim.serving.SchedulerSpec;

/**
 * Copies of a model on nodes of a target.
 *
 * @param id name of the target among those compared
 * @param target the machines
 * @param tp devices that share a layer
 * @param pp groups of devices that share the layers
 * @param scheduler how batches are formed
 */
record Deployment(String id, TargetSettings target, int tp, int pp, SchedulerSpec scheduler) {
    int devices() {
        return tp * pp;
    }

    /** Nodes that one copy takes, at least 1. */
    int group() {
        int perNode = target.acceleratorsPerNode();
        return Math.max(1, (devices() + perNode - 1) / perNode);
    }

    /** Copies on each group of nodes. */
    int copiesOfGroup() {
        return Math.max(1, target.acceleratorsPerNode() / devices());
    }

    /** Copies a node holds, a fraction where a copy spans nodes. */
    double copiesPerNode() {
        return (double) copiesOfGroup() / group();
    }

    int copies(int nodes) {
        return Math.max(1, nodes / group() * copiesOfGroup());
    }

    /** Scheduler and batch for people. */
    String policy() {
        int batch = scheduler.limits().batchSizeCap();
        if (scheduler instanceof SchedulerSpec.Sarathi sarathi) {
            return "sarathi, chunk " + sarathi.chunkSize() + ", batch " + batch;
        }
        String name = scheduler.getClass().getSimpleName().toLowerCase(java.util.Locale.ROOT);
        return name + ", batch " + batch;
    }
}
