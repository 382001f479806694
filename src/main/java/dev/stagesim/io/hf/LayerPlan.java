package dev.stagesim.io.hf;

/**
 * The two parts of one layer.
 *
 * @param mixer how tokens exchange information
 * @param feed the feed-forward part
 * @param kvHeads key and value heads if the layer states its own; 0 otherwise
 * @param width inner width of a dense feed-forward part if the layer states its own; 0 otherwise
 */
record LayerPlan(Mixer mixer, Feed feed, int kvHeads, int width) {
    /** How tokens of a layer exchange information. */
    enum Mixer {
        FULL,
        WINDOW,
        CHUNK,
        STATE,
        LINEAR, // One matrix in place of attention.
        NONE;

        boolean isAttention() {
            return this == FULL || this == WINDOW || this == CHUNK;
        }
    }

    /** Feed-forward part of a layer. */
    enum Feed {
        DENSE,
        EXPERTS,
        LINEAR, // One matrix in place of the feed-forward part.
        NONE
    }

    static LayerPlan of(Mixer mixer, Feed feed) {
        return new LayerPlan(mixer, feed, 0, 0);
    }
}
