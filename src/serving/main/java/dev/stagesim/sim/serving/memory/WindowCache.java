package dev.stagesim.sim.serving.memory;

/** Layers that look back over a window or a chunk. */
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
    void drop(Holding holding, int processed) {
        if (group.kind() == KvGroup.Kind.ROLLING_WINDOW) {
            int prompt = holding.promptTokens();
            dropRange(holding.table(id), KvLayout.ceilDiv(prompt, size), Math.max(prompt, processed - window) / size);
        } else {
            super.drop(holding, processed);
        }
    }

    @Override
    int nextDrop(Holding holding, int processed) {
        return switch (group.kind()) {
            case SLIDING_WINDOW -> (skipped(processed) / size + 1) * size + window - 1 + extra;
            case CHUNKED_LOCAL -> (processed / window + 1) * window;
            default -> (Math.max(holding.promptTokens(), processed - window) / size + 1) * size + window;
        };
    }

    @Override
    boolean keeps(Holding holding, int position) {
        return group.kind() != KvGroup.Kind.SLIDING_WINDOW
                || retention.keepsWindow(holding.promptTokens(), holding.sharedBoundary, position);
    }
}
