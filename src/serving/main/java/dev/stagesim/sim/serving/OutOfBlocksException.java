package dev.stagesim.sim.serving;

/** The replica ran out of KV blocks in a state its scheduler has no answer to; ends the simulation. */
final class OutOfBlocksException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    OutOfBlocksException(String message) {
        super(message);
    }
}
