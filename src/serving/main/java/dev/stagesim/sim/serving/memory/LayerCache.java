package dev.stagesim.sim.serving.memory;

/**
 * The cache of one layer on one device.
 *
 * @param spec attention pattern and block size
 * @param pageBytes bytes of a block
 */
public record LayerCache(KvGroup spec, long pageBytes) {
    /** Returns the bytes of an attention block: keys and values of every token and head. */
    public static long attentionPage(int blockSize, int heads, int keySize, int valueSize, int valueBytes) {
        return (long) blockSize * heads * (keySize + valueSize) * valueBytes;
    }

    /**
     * Returns the bytes of a block of latent attention, which stores one vector of {@code size} bytes per {@code ratio}
     * tokens.
     */
    public static long latentPage(int blockSize, int size, int ratio, int valueBytes) {
        return (long) (blockSize / ratio) * size * valueBytes;
    }

    /**
     * Returns the maximum number of blocks that one request of {@code maxModelLen} tokens needs in a group of these layers.
     */
    static int blocksOfRequest(KvLayout layout, int group) {
        KvGroup spec = layout.groups().get(group);
        int all = KvLayout.ceilDiv(layout.maxModelLen(), spec.blockSize());
        return switch (spec.kind()) {
            case FULL, ROLLING_WINDOW -> all;
            case SLIDING_WINDOW, CHUNKED_LOCAL -> layout.admissionCap(group);
            case MAMBA ->
                spec.speculativeBlocks()
                        + switch (spec.states()) {
                            case NONE -> 1;
                            case ALIGN -> 2;
                            case ALL -> all;
                        };
        };
    }

    LayerCache withBlock(int blockSize, long page) {
        return new LayerCache(
                new KvGroup(
                        spec.kind(),
                        blockSize,
                        spec.window(),
                        spec.states(),
                        spec.speculativeBlocks(),
                        spec.isDraft(),
                        spec.shape()),
                page);
    }

    /** Returns the layer with its window ignored. */
    LayerCache asFull() {
        boolean isWindow = spec.kind() == KvGroup.Kind.SLIDING_WINDOW || spec.kind() == KvGroup.Kind.CHUNKED_LOCAL;
        return isWindow
                ? new LayerCache(
                        new KvGroup(
                                KvGroup.Kind.FULL, spec.blockSize(), 0, spec.states(), 0, spec.isDraft(), spec.shape()),
                        pageBytes)
                : this;
    }
}
