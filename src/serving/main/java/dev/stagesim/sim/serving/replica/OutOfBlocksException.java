package dev.stagesim.sim.serving.replica;

/** Ends the simulation when a replica runs out of KV blocks and its scheduler cannot free any. */
public final class OutOfBlocksException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    public OutOfBlocksException(String message) {
        super(message);
    }
}
