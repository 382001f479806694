package dev.stagesim.sim.serving;

import java.util.ArrayList;
import java.util.List;

/**
 * How much of something a replica or a stage used, in percent.
 *
 * @param replica replica
 * @param stage pipeline stage; -1 for the replica as a whole
 * @param quantity {@code memory_usage}, {@code busy_time_percent} or {@code mfu}
 * @param least least sample
 * @param greatest greatest sample
 * @param mean mean over time, in Vidur of memory the mean of the samples; NaN when no time passed
 * @param referenceName what the reference calls it: numbers from 1, number 0 last
 */
public record Usage(
        int replica, int stage, String quantity, double least, double greatest, double mean, String referenceName) {

    /** Every quantity of every replica and stage; no {@code mfu} where the device's peak rate is not known. */
    public static List<Usage> of(ServingSpec spec, Utilization utilization) {
        int replicas = spec.cluster().replicas();
        int stages = spec.cluster().pipelineStages();
        List<Usage> rows = new ArrayList<>();
        for (int replica = 0; replica < replicas; replica++) {
            String name = "replica_" + (replica == 0 ? replicas : replica) + "_";
            Series memory = utilization.memory(replica);
            double mean = spec.has(Accident.SAMPLED_MEANS) ? memory.plainMean() : memory.weightedMean();
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
        return new Usage(replica, stage, quantity, series.least(), series.greatest(), mean, prefix + quantity);
    }
}
