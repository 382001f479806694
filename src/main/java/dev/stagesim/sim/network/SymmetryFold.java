package dev.stagesim.sim.network;

/** Which NPUs stand for others, so that one message is a message of each of them. */
public interface SymmetryFold {
    /**
     * Number of the move that the message from one NPU to another makes at all members at once.
     *
     * @throws SymmetryBroken when they do not all make it alike
     */
    int move(int from, int to);

    /**
     * Of two messages that arrive at one time, and whose senders are told, the one of the first move comes first.
     *
     * @throws SymmetryBroken when it does not at all members
     */
    void inOrder(int earlier, int later);

    /** Number of the class of an NPU. */
    int classOf(int rank);
}
