package dev.stagesim.sim.collective;

/**
 * A move from NPU to NPU along a ring, which every member of the ring can make.
 *
 * @param ring the NPUs
 * @param isPartner whether it goes to the partner at a distance, forth or back by position, and not always forth
 * @param by positions
 */
record Step(LogicalRing ring, boolean isPartner, int by) {
    /** The move that takes one NPU to another in a phase. */
    static Step of(Phase phase, int from, int to) {
        LogicalRing ring = phase.ring();
        int n = ring.size();
        int a = ring.position(from);
        int b = ring.position(to);
        if (phase.family() == Algorithm.Family.HALVING_DOUBLING) {
            int by = Math.abs(b - a);
            return new Step(ring, 2 * by != n, by);
        }
        return new Step(ring, false, b > a ? b - a : b - a + n);
    }

    /** Where the move takes an NPU. */
    int peer(int rank) {
        int n = ring.size();
        int at = ring.position(rank);
        return ring.rank(rank, isPartner ? HalvingProcedure.partner(at, by, n) : (at + by) % n);
    }

    /** The move back. */
    Step back() {
        return new Step(ring, isPartner, isPartner ? by : ring.size() - by);
    }
}
