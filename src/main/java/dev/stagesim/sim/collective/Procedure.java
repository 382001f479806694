package dev.stagesim.sim.collective;

import java.util.Optional;

/**
 * An algorithm of collectives along one dimension: where it can run, how alike NPUs stand to their peers, and what a chunk
 * does. It is the same for all runs; what changes is in a {@link Run}. {@link Algorithm} lists all.
 */
abstract class Procedure {
    private final String name;

    /** A procedure that files call by this name. */
    Procedure(String name) {
        this.name = name;
    }

    /** The word for it in files. */
    final String name() {
        return name;
    }

    /** Whether the word may end with a number of messages in flight. */
    boolean isWindowed() {
        return false;
    }

    /** Messages that an NPU sends in one pass along so many NPUs, at most. */
    double messages(CollectiveKind kind, int npus) {
        return npus - 1.0;
    }

    /** Whether it may run on one ring of all NPUs. */
    boolean isFlattened() {
        return true;
    }

    /** Whether an NPU's chunks take one of two shapes in turn. */
    boolean hasShapes() {
        return false;
    }

    /**
     * Where a procedure is to run.
     *
     * @param kind the collective, of which the phase may be a part
     * @param beyond dimensions of the machine after the last one of the list of algorithms, if this is it
     * @param isExact whether all that cannot work is refused; the reference starts some of it, and hangs
     */
    record Place(CollectiveKind kind, LogicalRing ring, int dimension, int beyond, boolean isExact) {
        boolean isPowerOfTwo() {
            return Integer.bitCount(ring.size()) == 1;
        }
    }

    /** Why it cannot run there, if it cannot. */
    Optional<String> refusal(Place place) {
        return Optional.empty();
    }

    /** What keeps so many NPUs from ever finishing, if something does. */
    Optional<String> hangs(int npus) {
        return Optional.empty();
    }

    /** Why NPUs in the same state do not all make the same moves, if they do not. */
    Optional<String> asymmetry(int npus) {
        return hangs(npus);
    }

    /** The move from one position to another, as a number that means the same everywhere on the ring: so many on. */
    int move(int from, int to, int npus) {
        return to > from ? to - from : to - from + npus;
    }

    /** Where a move takes the NPU at a position. */
    int peer(int position, int move, int npus) {
        return (position + move) % npus;
    }

    /** The move that takes it back. */
    int back(int move, int npus) {
        return npus - move;
    }

    /** Bytes of the chunk at the end of a phase. */
    long finalSize(Phase phase) {
        return switch (phase.kind()) {
            case ALL_REDUCE, ALL_TO_ALL -> phase.size();
            case ALL_GATHER ->
                Math.multiplyExact(phase.size(), (long) phase.ring().size());
            case REDUCE_SCATTER -> phase.part(phase.ring().size());
        };
    }

    /** A chunk begins a phase on its NPU. */
    abstract Run begin(Phase phase, Stream stream, Collectives collectives);
}
