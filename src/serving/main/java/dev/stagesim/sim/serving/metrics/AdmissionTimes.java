package dev.stagesim.sim.serving.metrics;

import dev.stagesim.sim.serving.replica.AdmissionLimit;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/** Records the time for which each {@link AdmissionLimit} kept requests waiting, in seconds summed over the replicas. */
public final class AdmissionTimes implements ServingRecorder {
    private final double[] seconds = new double[AdmissionLimit.values().length];
    private final double[] since;
    private final AdmissionLimit[] limits;

    public AdmissionTimes(int replicas) {
        since = new double[replicas];
        limits = new AdmissionLimit[replicas];
        Arrays.fill(limits, AdmissionLimit.NONE);
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.ADMISSION);
    }

    @Override
    public void admissionSample(int replica, double time, AdmissionLimit limit) {
        seconds[limits[replica].ordinal()] += time - since[replica];
        since[replica] = time;
        limits[replica] = limit;
    }

    /** Adds the times of other replicas. */
    void add(AdmissionTimes others) {
        Arrays.setAll(seconds, limit -> seconds[limit] + others.seconds[limit]);
    }

    /** Closes the record at the time of the last event. */
    public void finish(double time) {
        for (int replica = 0; replica < limits.length; replica++) {
            admissionSample(replica, time, AdmissionLimit.NONE);
        }
    }

    /** Returns the seconds for which a limit kept requests waiting. */
    public double seconds(AdmissionLimit limit) {
        return seconds[limit.ordinal()];
    }

    /** Returns the limit that kept requests waiting longest, or {@link AdmissionLimit#NONE} if no request waited. */
    public AdmissionLimit longest() {
        AdmissionLimit longest = AdmissionLimit.NONE;
        for (AdmissionLimit limit : AdmissionLimit.values()) {
            if (limit != AdmissionLimit.NONE
                    && seconds(limit) > (longest == AdmissionLimit.NONE ? 0 : seconds(longest))) {
                longest = limit;
            }
        }
        return longest;
    }
}
