package dev.stagesim.sim.mnk;

/**
 * Processors in packages of equal size.
 *
 * @param packages packages; divides {@code processors}
 */
public record Cluster(int processors, int packages) {
    public Cluster {
        if (processors < 1 || packages < 1 || processors % packages != 0) {
            throw new IllegalArgumentException(processors + " processors in " + packages + " packages");
        }
    }

    int perPackage() {
        return processors / packages;
    }
}
