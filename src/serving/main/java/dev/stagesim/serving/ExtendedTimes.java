package dev.stagesim.serving;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.kernels.Sharding;
import java.util.function.Consumer;

/**
 * Measured operator times, extended to another tensor-parallel size and to larger sizes by the computed times of the model
 * and hardware cards: the nearest measured time is multiplied by the ratio of the computed times. Within the tables of the
 * same tensor-parallel size, the times are the measured ones.
 */
final class ExtendedTimes implements OperatorTimes {
    private static final String BEYOND = " (tables end there; extended by computed times)";

    private final OperatorTimes measured;
    private final LayerTimes from;
    private final LayerTimes to;
    private final boolean isSameSize;
    private final boolean hasTransfers;
    private final Coverage tables;
    private final Coverage coverage;
    private final Consumer<String> warn;
    private boolean hasMoreTokens;
    private boolean hasMoreRequests;

    private ExtendedTimes(ReplicaModel replica, Tables given, Coverage coverage, Consumer<String> warn) {
        int wanted = replica.cluster().tensorParallelSize();
        this.measured = given.times();
        this.tables = measured.coverage();
        this.hasTransfers = given.hasTransfers();
        this.isSameSize = given.tensor() == wanted;
        this.from = computed(replica, given.tensor());
        this.to = computed(replica, wanted);
        this.coverage = coverage;
        this.warn = warn;
    }

    /**
     * Times of a bundle.
     *
     * @param tensor tensor-parallel size of the tables
     * @param hasTransfers whether the tables have times of transfers between devices
     */
    record Tables(OperatorTimes times, int tensor, boolean hasTransfers) {}

    /**
     * Extends the tables of a replica.
     *
     * @param longest longest sequence that is simulated
     * @param warn receives further sizes beyond the tables during the simulation
     * @param extrapolated receives descriptions of extended inputs
     */
    static OperatorTimes of(
            ReplicaModel replica, Tables given, int longest, Consumer<String> warn, Consumer<String> extrapolated) {
        int wanted = replica.cluster().tensorParallelSize();
        Coverage tables = given.times().coverage();
        if (given.tensor() != wanted) {
            extrapolated.accept(
                    "tensor parallelism " + wanted + " (times of " + given.tensor() + ", scaled by computed times)");
        }
        if (!given.hasTransfers()) {
            extrapolated.accept("transfers between devices (computed; the tables have none)");
        }
        boolean isLonger = longest > tables.maxKvTokens();
        if (isLonger) {
            extrapolated.accept("sequences of up to " + longest + " tokens (tables end at " + tables.maxKvTokens()
                    + "; extended by computed times)");
        }
        int step = tables.kvGranularity();
        int length = isLonger ? (longest / step + 2) * step : tables.maxKvTokens();
        Coverage coverage = new Coverage(
                Integer.MAX_VALUE, Integer.MAX_VALUE, length, Math.max(tables.maxChunkTokens(), longest), step);
        return new ExtendedTimes(replica, given, coverage, warn);
    }

    private static LayerTimes computed(ReplicaModel replica, int tensor) {
        return new LayerTimes(
                replica.model(), replica.hardware(), replica.engine().none(), Sharding.tensor(tensor, 1));
    }

    /** Returns true if times of a replica can be computed from its cards. */
    static boolean canCompute(ReplicaModel replica, int tensor) {
        return replica.hardware().kernels().source().isPresent()
                && replica.hardware().bf16OrFp16Tflops().isPresent()
                && LayerTimes.splits(replica.model(), tensor)
                && (tensor == 1 || new Links(replica.hardware()).canLink(tensor));
    }

    private static double scaled(double measured, double from, double to) {
        return from > 0 ? measured * (to / from) : measured;
    }

    private int tokens(int count, int maximum) {
        if (count > maximum && !hasMoreTokens) {
            hasMoreTokens = true;
            warn.accept("extrapolated: steps of more than " + maximum + " tokens" + BEYOND);
        }
        return Math.min(count, maximum);
    }

    private int requests(int count, int maximum) {
        if (count > maximum && !hasMoreRequests) {
            hasMoreRequests = true;
            warn.accept("extrapolated: steps with more than " + maximum + " requests" + BEYOND);
        }
        return Math.min(count, maximum);
    }

    @Override
    public double milliseconds(Operator operator, int count) {
        if (!hasTransfers && (operator == Operator.ALL_REDUCE || operator == Operator.SEND_RECV)) {
            return to.milliseconds(operator, count);
        }
        int known = operator.key() == Operator.Key.TOKENS
                ? tokens(count, tables.maxTokens())
                : requests(count, tables.maxBatch());
        double ms = measured.milliseconds(operator, known);
        return known == count && isSameSize
                ? ms
                : scaled(ms, from.milliseconds(operator, known), to.milliseconds(operator, count));
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        int known = requests(batch, tables.maxBatch());
        int kv = Math.min(kvTokens, tables.maxKvTokens());
        double ms = measured.decodeMilliseconds(known, kv);
        return known == batch && kv == kvTokens && isSameSize
                ? ms
                : scaled(ms, from.decodeMilliseconds(known, kv), to.decodeMilliseconds(batch, kvTokens));
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        int known = tokens(chunkTokens, tables.maxChunkTokens());
        int kv = Math.min(kvTokens, tables.maxKvTokens());
        double ms = measured.prefillMilliseconds(kv, known);
        return known == chunkTokens && kv == kvTokens && isSameSize
                ? ms
                : scaled(ms, from.prefillMilliseconds(kv, known), to.prefillMilliseconds(kvTokens, chunkTokens));
    }

    @Override
    public Coverage coverage() {
        return coverage;
    }
}
