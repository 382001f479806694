package dev.stagesim.sim.workload;

/** Source of prompt and output lengths, request by request; draws do not allocate. */
public interface LengthSource {
    /** Draws the lengths of the next request. Returns false if there are no more, and keeps the previous lengths. */
    boolean next();

    /** Prompt tokens of the last request drawn. */
    int prefill();

    /** Output tokens of the last request drawn. */
    int decode();

    /** Source row of the last request drawn, from 0, or -1 if the source has no rows. */
    default int row() {
        return -1;
    }
}
