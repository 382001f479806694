package dev.stagesim.sim.mnk;

import java.util.Arrays;
import java.util.Optional;

/** The distribution of one layer over the processors. */
public enum Parallelism {
    /** Every processor has a share of the inputs. */
    DATA,
    /** Every processor has a share of the output dimension. */
    MODEL,
    /** Inputs are divided between packages, the output dimension within a package. */
    HYBRID_DATA_MODEL,
    /** The output dimension is divided between packages, inputs within a package. */
    HYBRID_MODEL_DATA;

    /** Returns the strategy with an exact name. */
    public static Optional<Parallelism> of(String name) {
        return Arrays.stream(values())
                .filter(value -> value.name().equals(name))
                .findFirst();
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
