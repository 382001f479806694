package dev.stagesim.io.bundle;

import java.util.List;

/** A row of a bundle file. */
public sealed interface BundleRow {
    /**
     * A row of {@code mlp.csv}.
     *
     * @param operators times in the order of {@link dev.stagesim.contract.BundleTables#MLP_OPERATORS}
     */
    record Mlp(int tensorParallel, int tokens, List<Stats> operators) implements BundleRow {
        public Mlp {
            operators = List.copyOf(operators);
        }
    }

    /** A row of {@code attention.csv}; {@code chunk} is 0 for decode. */
    record Attention(int tensorParallel, int batch, int chunk, int kvTokens, Stats time, Stats cacheWrite)
            implements BundleRow {
        boolean isPrefill() {
            return chunk > 0;
        }
    }

    /** A row of {@code all_reduce.csv} or {@code send_recv.csv}. */
    record Transfer(int workers, int devicesPerNode, int maxDevicesPerNode, long bytes, Stats time)
            implements BundleRow {}

    /**
     * A row of {@code cpu_overheads.csv}.
     *
     * @param steps times in the order of {@link dev.stagesim.contract.BundleTables#HOST_STEPS}
     */
    record Host(int tensorParallel, int batch, List<Stats> steps, double workerCommMean) implements BundleRow {
        public Host {
            steps = List.copyOf(steps);
        }
    }
}
