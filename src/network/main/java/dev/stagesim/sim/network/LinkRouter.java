package dev.stagesim.sim.network;

/** Deterministic routing: chooses the next link hop by hop, with one path per pair of NPUs. */
public interface LinkRouter {
    /**
     * Returns the next link of a message.
     *
     * @param device current device, not the destination
     * @param source NPU that sent the message
     * @param destination NPU that receives it
     */
    int next(int device, int source, int destination);
}
