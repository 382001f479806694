package dev.stagesim.sim.collective;

/**
 * A move from NPU to NPU along a ring, which every member of the ring can make.
 *
 * @param procedure what the number means
 * @param ring the NPUs
 * @param move the number
 */
record Step(Procedure procedure, LogicalRing ring, int move) {
    /** The move that takes one NPU to another in a phase. */
    static Step of(Phase phase, int from, int to) {
        LogicalRing ring = phase.ring();
        int move = phase.procedure().move(ring.position(from), ring.position(to), ring.size());
        return new Step(phase.procedure(), ring, move);
    }

    /** Where the move takes an NPU. */
    int peer(int rank) {
        return ring.rank(rank, procedure.peer(ring.position(rank), move, ring.size()));
    }

    /** The move back. */
    Step back() {
        return new Step(procedure, ring, procedure.back(move, ring.size()));
    }
}
