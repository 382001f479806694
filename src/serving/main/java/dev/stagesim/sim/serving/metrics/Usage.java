package dev.stagesim.sim.serving.metrics;

import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.ArrayList;
import java.util.List;

/**
 * The utilisation of a resource of a replica or a stage, in percent.
 *
 * @param replica replica
 * @param stage pipeline stage; -1 for the whole replica
 * @param quantity {@code memory_usage}, {@code busy_time_percent} or {@code mfu}
 * @param min minimum sample
 * @param max maximum sample
 * @param mean mean over time (in Vidur, memory has the mean of the samples); NaN if no time passed
 * @param referenceName name in the reference; replicas and stages are numbered from 1, and number 0 is the last
 */
public record Usage(
        int replica, int stage, String quantity, double min, double max, double mean, String referenceName) {

    /** Returns every quantity of every replica and stage; no {@code mfu} if the peak rate of the device is unknown. */
    public static List<Usage> of(ServingSpec spec, Utilization utilization) {
        int replicas = spec.cluster().replicas();
        int stages = spec.cluster().pipelineStages();
        List<Usage> rows = new ArrayList<>();
        for (int replica = 0; replica < replicas; replica++) {
            String name = "replica_" + (replica == 0 ? replicas : replica) + "_";
            Series memory = utilization.memory(replica);
            double mean = spec.has(VidurQuirk.SAMPLED_MEANS) ? memory.plainMean() : memory.weightedMean();
            rows.add(row(replica, -1, "memory_usage", memory, mean, name));
            for (int stage = 0; stage < stages; stage++) {
                String prefix = name + "stage_" + (stage == 0 ? stages : stage) + "_";
                Series busy = utilization.busy(replica, stage);
                Series mfu = utilization.mfu(replica, stage);
                rows.add(row(replica, stage, "busy_time_percent", busy, busy.weightedMean(), prefix));
                if (spec.cluster().tflops() > 0) {
                    rows.add(row(replica, stage, "mfu", mfu, mfu.weightedMean(), prefix));
                }
            }
        }
        return rows;
    }

    private static Usage row(int replica, int stage, String quantity, Series series, double mean, String prefix) {
        return new Usage(replica, stage, quantity, series.min(), series.max(), mean, prefix + quantity);
    }
}
