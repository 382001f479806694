package dev.stagesim.sim.serving.memory;

/** Selects the blocks of a window group that get a key: those at the end of a hit at a boundary. */
final class Retention {
    private final int size;
    private final int alignment;
    private final int retention;
    private final int ahead;
    private final int blocks;

    Retention(KvLayout layout, int group) {
        KvGroup spec = layout.groups().get(group);
        size = spec.blockSize();
        alignment = layout.alignment();
        retention = layout.retention();
        ahead = layout.dropsLastHit(group) ? 1 : 0;
        blocks = windowBlocks(spec) + ahead;
    }

    /** Returns the number of blocks that a window covers. */
    static int windowBlocks(KvGroup group) {
        return KvLayout.ceilDiv(group.window() - 1, group.blockSize());
    }

    boolean keepsWindow(int prompt, int sharedBoundary, int position) {
        if (retention != 0 && endsSegment(retention > 0 ? retention : alignment, position)) {
            return true;
        }
        return retention >= 0
                && (endsAt(prompt - 1, position) || (sharedBoundary > 0 && endsAt(sharedBoundary, position)));
    }

    private boolean endsSegment(int segment, int position) {
        int period = segment / size;
        return blocks >= period || (position >= ahead && (position - ahead) % period >= period - blocks);
    }

    private boolean endsAt(int boundary, int position) {
        int end = (boundary - boundary % alignment) / size + ahead;
        return position < end && position >= end - blocks;
    }

    boolean keepsState(int prompt, int sharedBoundary, int position) {
        if (retention == KvLayout.DENSE) {
            return true;
        }
        int period = retention / size;
        if (retention > 0 && (period <= 1 || (position + 1) % period == 0)) {
            return true;
        }
        return isStateAt(prompt - 1, position) || (sharedBoundary > 0 && isStateAt(sharedBoundary, position));
    }

    private boolean isStateAt(int boundary, int position) {
        return (position + 1) * size == boundary - boundary % alignment;
    }
}
