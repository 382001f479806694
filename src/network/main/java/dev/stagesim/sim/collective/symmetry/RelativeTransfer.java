package dev.stagesim.sim.collective.symmetry;

import dev.stagesim.sim.collective.procedure.LogicalRing;
import dev.stagesim.sim.collective.procedure.Phase;
import dev.stagesim.sim.collective.procedure.Procedure;

/**
 * A transfer along a ring, relative to the sender, that every member can perform.
 *
 * @param procedure defines the meaning of the offset
 * @param ring the NPUs
 * @param move the offset
 */
record RelativeTransfer(Procedure procedure, LogicalRing ring, int move) {
    /** The transfer from one NPU to another in a phase. */
    static RelativeTransfer of(Phase phase, int from, int to) {
        LogicalRing ring = phase.ring();
        int move = phase.procedure().move(ring.position(from), ring.position(to), ring.size());
        return new RelativeTransfer(phase.procedure(), ring, move);
    }

    /** The receiver of a transfer from {@code rank}. */
    int peer(int rank) {
        return ring.rank(rank, procedure.peer(ring.position(rank), move, ring.size()));
    }

    /** The inverse transfer. */
    RelativeTransfer inverse() {
        return new RelativeTransfer(procedure, ring, procedure.inverse(move, ring.size()));
    }
}
