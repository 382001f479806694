package dev.stagesim.sim.mnk;

import java.util.Arrays;
import java.util.Optional;

/** How one layer is spread over the processors. */
public enum Parallelism {
    /** Every processor has a share of the inputs. */
    DATA,
    /** Every processor has a share of the outputs' dimension. */
    MODEL,
    /** Inputs shared between packages, the outputs' dimension within a package. */
    HYBRID_DATA_MODEL,
    /** The outputs' dimension shared between packages, inputs within a package. */
    HYBRID_MODEL_DATA;

    /** The strategy of that name, spelled exactly. */
    public static Optional<Parallelism> of(String name) {
        return Arrays.stream(values()).filter(one -> one.name().equals(name)).findFirst();
    }

    public int inputShares(Cluster cluster) {
        return switch (this) {
            case DATA -> cluster.processors();
            case MODEL -> 1;
            case HYBRID_DATA_MODEL -> cluster.packages();
            case HYBRID_MODEL_DATA -> cluster.perPackage();
        };
    }

    public int outputShares(Cluster cluster) {
        return cluster.processors() / inputShares(cluster);
    }
}
