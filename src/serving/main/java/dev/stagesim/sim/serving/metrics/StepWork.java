package dev.stagesim.sim.serving.metrics;

import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Arrays;
import java.util.EnumSet;
import java.util.Set;

/**
 * The cumulative work of each replica: steps, requests in steps, and seconds by kind of operator. The sums grow linearly
 * during a step.
 *
 * <p>The duration of a busy interval of a replica is a weighted sum of the differences. Calibration fits the weights.
 *
 * <p><b>Caveat:</b> for replicas with one pipeline stage, where steps do not overlap.
 */
public final class StepWork implements ServingRecorder {
    /** Index of the number of steps. */
    public static final int STEPS = 0;

    /** Index of the number of requests in steps. */
    public static final int REQUESTS = 1;

    /** Index of the seconds of operators other than attention. */
    public static final int LINEAR = 2;

    /** Index of the seconds of decode attention. */
    public static final int DECODE = 3;

    /** Index of the seconds of prefill attention. */
    public static final int PREFILL = 4;

    /** Index of the number of tokens in steps. */
    public static final int TOKENS = 5;

    /**
     * Index of the cached tokens that decode attention reads. The overhead of batches with several requests counts as further
     * tokens.
     */
    public static final int CACHED = 6;

    /** Number of kinds. */
    public static final int KINDS = 7;

    private static final double SECONDS_PER_MS = 1e-3;

    private final ServingSpec spec;
    private final int[] replicaOf;
    private final double[][] begins;
    private final double[][] ends;

    /** Cumulative sums after each step, all kinds of a step together. */
    private final double[][] sums;

    private final int[] counts;
    private int maxRequests;

    /** Creates the work of a cluster that serves {@code requests} requests. */
    public StepWork(ServingSpec spec, int requests) {
        int replicas = spec.cluster().replicas();
        this.spec = spec;
        replicaOf = new int[requests];
        begins = new double[replicas][64];
        ends = new double[replicas][64];
        sums = new double[replicas][64 * KINDS];
        counts = new int[replicas];
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.STAGE_ENDED);
    }

    @Override
    public void requestAssigned(int request, int replica, double time) {
        replicaOf[request] = replica;
    }

    /** Returns the largest number of requests in a step. */
    public int maxRequests() {
        return maxRequests;
    }

    /** Returns the replica that served a request. */
    public int replicaOf(int request) {
        return replicaOf[request];
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {
        maxRequests = Math.max(maxRequests, batch.size);
        int replica = batch.replica;
        int at = counts[replica]++;
        if (at == ends[replica].length) {
            begins[replica] = Arrays.copyOf(begins[replica], 2 * at);
            ends[replica] = Arrays.copyOf(ends[replica], 2 * at);
            sums[replica] = Arrays.copyOf(sums[replica], 2 * at * KINDS);
        }
        begins[replica][at] = time - totalSeconds;
        ends[replica][at] = time;
        double[] all = sums[replica];
        int to = at * KINDS;
        put(all, to, batch.step, batch.size, modelSeconds, spec);
        for (int kind = 0; at > 0 && kind < KINDS; kind++) {
            all[to + kind] += all[to - KINDS + kind];
        }
    }

    /** Returns the work of one step, by kind. */
    public static double[] of(StepTimes.Step step, int requests, double modelSeconds, ServingSpec spec) {
        double[] work = new double[KINDS];
        put(work, 0, step, requests, modelSeconds, spec);
        return work;
    }

    private static void put(
            double[] work, int at, StepTimes.Step step, int requests, double modelSeconds, ServingSpec spec) {
        double layerSeconds = spec.layersPerStage() * SECONDS_PER_MS;
        double decode = step.decodeMs * layerSeconds;
        double prefill = step.prefillMs * layerSeconds;
        boolean isExtended = step.decodes > 1 && spec.model().groupedQuery();
        work[at + STEPS] = 1;
        work[at + REQUESTS] = requests;
        work[at + DECODE] = decode;
        work[at + PREFILL] = prefill;
        work[at + LINEAR] = modelSeconds - decode - prefill;
        work[at + TOKENS] = step.tokens;
        work[at + CACHED] = (double) step.decodes
                * step.decodeKv
                * (isExtended ? 1 + spec.timing().decodeOverhead() : 1);
    }

    /** Returns the work of a replica between two times, by kind. */
    public double[] between(int replica, double from, double to) {
        double[] work = until(replica, to);
        double[] before = until(replica, from);
        for (int kind = 0; kind < KINDS; kind++) {
            work[kind] -= before[kind];
        }
        return work;
    }

    private double[] until(int replica, double time) {
        int count = counts[replica];
        int found = Arrays.binarySearch(ends[replica], 0, count, time);
        int done = found >= 0 ? found + 1 : -found - 1;
        double[] work = new double[KINDS];
        if (done > 0) {
            System.arraycopy(sums[replica], (done - 1) * KINDS, work, 0, KINDS);
        }
        if (done < count && time > begins[replica][done]) {
            double share = (time - begins[replica][done]) / (ends[replica][done] - begins[replica][done]);
            for (int kind = 0; kind < KINDS; kind++) {
                double before = done == 0 ? 0 : sums[replica][(done - 1) * KINDS + kind];
                work[kind] += share * (sums[replica][done * KINDS + kind] - before);
            }
        }
        return work;
    }
}
