package dev.stagesim.sim.network;

/**
 * Equivalence classes of NPUs. One representative sends and receives for its class, so one simulated message represents
 * the messages of all members.
 */
public interface SymmetryFold {
    /**
     * Returns the number of the symmetric transfer that contains a message from one NPU to another.
     *
     * @throws SymmetryBroken if the members of the class do not all send it equivalently
     */
    int move(int from, int to);

    /**
     * Checks the order of two simultaneous messages with notified senders: at every member, the message of the first
     * transfer must come first.
     *
     * @throws SymmetryBroken if the order differs at some member
     */
    void checkOrder(int earlier, int later);

    /** Number of the class of an NPU. */
    int classOf(int rank);
}
