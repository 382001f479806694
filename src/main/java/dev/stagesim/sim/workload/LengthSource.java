package dev.stagesim.sim.workload;

/** Source of prompt and output lengths, one request after the other; draws do not allocate. */
public interface LengthSource {
    /** Draws the next request's lengths; false when there are no more, and then the lengths are those of before. */
    boolean next();

    /** Prompt tokens of the request drawn last. */
    int prefill();

    /** Output tokens of the request drawn last. */
    int decode();

    /** Row of the source that the request drawn last came from, from 0; -1 when lengths are not taken from rows. */
    default int row() {
        return -1;
    }
}
