package dev.stagesim.sim.collective.procedure;

import java.util.Optional;

/**
 * A collective algorithm along one dimension: its requirements, its communication pattern, and the behaviour of a
 * chunk. Procedures are stateless; the state of a chunk is in a {@link ChunkRun}. {@link Algorithm} lists all
 * procedures.
 */
public abstract class Procedure {
    private final String name;

    /** Creates a procedure with its name in files. */
    public Procedure(String name) {
        this.name = name;
    }

    /** Name in files. */
    final String name() {
        return name;
    }

    /** True if the name may end with a number of messages in flight. */
    public boolean isWindowed() {
        return false;
    }

    /** Maximum number of messages that an NPU sends in one phase with {@code npus} NPUs. */
    public double messages(CollectiveKind kind, int npus) {
        return npus - 1.0;
    }

    /** True if it may run on one ring of all NPUs. */
    boolean isFlattened() {
        return true;
    }

    /** True if an NPU's chunks alternate between two shapes. */
    public boolean hasShapes() {
        return false;
    }

    /**
     * Placement of a procedure.
     *
     * @param kind the collective, which may contain the phase
     * @param beyond number of network dimensions without an algorithm, for the last algorithm of a list; otherwise 0
     * @param isExact whether all impossible placements are errors; the reference starts some of them and deadlocks
     */
    public record Placement(CollectiveKind kind, LogicalRing ring, int dimension, int beyond, boolean isExact) {
        boolean isPowerOfTwo() {
            return Integer.bitCount(ring.size()) == 1;
        }
    }

    /** Returns the reason why it cannot run there, if any. */
    public Optional<String> refusal(Placement place) {
        return Optional.empty();
    }

    /** Returns the reason why {@code npus} NPUs would deadlock, if any. */
    public Optional<String> hangs(int npus) {
        return Optional.empty();
    }

    /** Returns the reason why NPUs in the same state differ in their transfers, if any. */
    public Optional<String> asymmetry(int npus) {
        return hangs(npus);
    }

    /**
     * Offset between two positions, by default their distance. Equal offsets describe equivalent transfers everywhere
     * on the ring.
     */
    public int move(int from, int to, int npus) {
        return to > from ? to - from : to - from + npus;
    }

    /** Position at an offset from a position. */
    public int peer(int position, int move, int npus) {
        return (position + move) % npus;
    }

    /** Offset of the inverse transfer. */
    public int inverse(int move, int npus) {
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

    /** Starts a chunk's phase on its NPU. */
    public abstract ChunkRun begin(Phase phase, Chunk chunk);
}
