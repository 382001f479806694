package dev.stagesim.io.hf;

/**
 * The two parts of one layer.
 *
 * @param mixer token mixer
 * @param feed the feed-forward part
 * @param kvHeads key and value heads of the layer, or 0 if it does not state them
 * @param width inner width of the dense feed-forward part, or 0 if the layer does not state it
 */
record LayerPlan(Mixer mixer, Feed feed, int kvHeads, int width) {
    /** Token mixer of a layer. */
    enum Mixer {
        FULL,
        WINDOW,
        CHUNK,
        STATE,
        LINEAR, // One matrix instead of attention.
        NONE;

        boolean isAttention() {
            return this == FULL || this == WINDOW || this == CHUNK;
        }
    }

    /** Feed-forward part of a layer. */
    enum Feed {
        DENSE,
        EXPERTS,
        LINEAR, // One matrix instead of the feed-forward part.
        NONE
    }

    static LayerPlan of(Mixer mixer, Feed feed) {
        return new LayerPlan(mixer, feed, 0, 0);
    }
}
