package dev.stagesim.verify.vidur;

import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.serving.Series;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.Utilization;

/**
 * Utilisation under the reference's names: number k stands for replica k mod R, and stage j for stage j mod PP; the mean
 * of memory is the plain mean of its samples.
 */
final class UtilizationJson {
    private UtilizationJson() {}

    static JsonValue of(ServingSpec spec, Utilization utilization) {
        int replicas = spec.cluster().replicas();
        int stages = spec.cluster().pipelineStages();
        JsonObjectBuilder json = JsonValue.object();
        for (int k = 1; k <= replicas; k++) {
            int replica = k % replicas;
            Series memory = utilization.memory(replica);
            put(json, "replica_" + k + "_memory_usage", memory, memory.plainMean());
            for (int j = 1; j <= stages; j++) {
                String prefix = "replica_" + k + "_stage_" + j;
                Series busy = utilization.busy(replica, j % stages);
                Series mfu = utilization.mfu(replica, j % stages);
                put(json, prefix + "_busy_time_percent", busy, busy.weightedMean());
                put(json, prefix + "_mfu", mfu, mfu.weightedMean());
            }
        }
        return json.build();
    }

    private static void put(JsonObjectBuilder json, String name, Series series, double mean) {
        if (!Double.isNaN(mean)) {
            json.put(name + "_min", series.least());
            json.put(name + "_max", series.greatest());
            json.put(name + "_weighted_mean", mean);
        }
    }
}
