package dev.stagesim.sim.network;

/** Chooses the links of a message's way: one way for each pair of NPUs, known at every hop. */
public interface Router {
    /**
     * The link that a message takes next.
     *
     * @param device where it is, not its destination
     * @param source NPU that sent it
     * @param destination NPU that it goes to
     */
    int next(int device, int source, int destination);
}
