package dev.stagesim.sim.collective.procedure;

/** One chunk of a collective on one NPU, as the procedure of its current phase uses it. */
public abstract class Chunk {
    /** The NPU. */
    public abstract int rank();

    /** True if the chunk travels against the order of the ring. */
    public abstract boolean isAnticlockwise();

    /** True if the chunk uses the second of two tree shapes. */
    public abstract boolean isSecondShape();

    /** Sends a packet to the endpoint. */
    public abstract void out(long size);

    /** Passes a received packet to the endpoint, which may reduce it. */
    public abstract void in(long size, boolean isReduced, boolean isSentBack);

    public abstract void send(int to, long size);

    public abstract void receive(int from, long size);

    /** Ends the current phase. */
    public abstract void endPhase();
}
