package dev.stagesim.sim.serving.memory;

/** Layers that attend to a window or a chunk. */
final class WindowCache extends GroupCache {
    private final int window;
    private final int extra;
    private final Retention retention;

    WindowCache(KvLayout layout, int id, BlockPool pool) {
        super(layout, id, pool);
        window = group.window();
        extra = layout.draftReach();
        retention = new Retention(layout, id);
    }

    @Override
    int skipped(int tokens) {
        return switch (group.kind()) {
            case SLIDING_WINDOW -> Math.max(0, tokens - window + 1 - extra);
            case CHUNKED_LOCAL -> tokens / window * window;
            default -> 0;
        };
    }

    @Override
    void drop(RequestBlocks requestBlocks, int processed) {
        if (group.kind() == KvGroup.Kind.ROLLING_WINDOW) {
            int prompt = requestBlocks.promptTokens();
            dropRange(
                    requestBlocks.table(id),
                    KvLayout.ceilDiv(prompt, size),
                    Math.max(prompt, processed - window) / size);
        } else {
            super.drop(requestBlocks, processed);
        }
    }

    @Override
    int nextDrop(RequestBlocks requestBlocks, int processed) {
        return switch (group.kind()) {
            case SLIDING_WINDOW -> (skipped(processed) / size + 1) * size + window - 1 + extra;
            case CHUNKED_LOCAL -> (processed / window + 1) * window;
            default -> (Math.max(requestBlocks.promptTokens(), processed - window) / size + 1) * size + window;
        };
    }

    @Override
    boolean keeps(RequestBlocks requestBlocks, int position) {
        return group.kind() != KvGroup.Kind.SLIDING_WINDOW
                || retention.keepsWindow(requestBlocks.promptTokens(), requestBlocks.sharedBoundary, position);
    }
}
