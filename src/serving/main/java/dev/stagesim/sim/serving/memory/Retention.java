package dev.stagesim.sim.serving.memory;

import java.util.function.IntPredicate;

/** Selects the blocks of a window group that get a key: those at the end of a hit at a boundary. */
final class Retention {
    private final int size;
    private final int alignment;
    private final int retention;
    private final int scheduled;
    private final int ahead;
    private final int blocks;
    private final boolean isWhole;
    private final boolean keepsReplays;
    private final boolean dropsHits;

    Retention(KvLayout layout, int group) {
        KvGroup spec = layout.groups().get(group);
        size = spec.blockSize();
        alignment = layout.retainedUnit();
        isWhole = alignment % size == 0;
        keepsReplays = layout.rules().keepsReplayBoundaries();
        dropsHits = layout.dropsLastHit();
        retention = layout.retention();
        scheduled = layout.alignment();
        ahead = layout.dropsLastHit(group) ? 1 : 0;
        blocks = windowBlocks(spec) + ahead;
    }

    /** Returns the number of blocks that a window covers. */
    static int windowBlocks(KvGroup group) {
        return KvLayout.ceilDiv(group.window() - 1, group.blockSize());
    }

    boolean keepsWindow(int prompt, int sharedBoundary, int position) {
        if (!isWhole) {
            return true;
        }
        if (retention != 0 && endsSegment(retention > 0 ? retention : alignment, position)) {
            return true;
        }
        return retention >= 0 && isBoundary(prompt, sharedBoundary, boundary -> endsAt(boundary, position));
    }

    /** Returns true if a position at which a later request with the same prompt or prefix can resume passes a test. */
    private boolean isBoundary(int prompt, int sharedBoundary, IntPredicate test) {
        boolean replays;
        if (keepsReplays && dropsHits) {
            replays = test.test(Math.max((prompt - 1) / scheduled * scheduled - scheduled, 0))
                    || test.test(Math.max(prompt / scheduled * scheduled - scheduled, 0));
        } else {
            replays = test.test(prompt - 1);
        }
        return replays
                || (sharedBoundary > 0
                        && (test.test(sharedBoundary)
                                || (keepsReplays && ahead > 0 && test.test(sharedBoundary - size))));
    }

    private boolean endsSegment(int segment, int position) {
        int period = segment / size;
        return blocks >= period || (position >= ahead && (position - ahead) % period >= period - blocks);
    }

    private boolean endsAt(int boundary, int position) {
        int end = (boundary - boundary % alignment) / size + ahead;
        return position < end && position >= end - blocks;
    }

    /** Returns true if a state is kept whatever the prompt. */
    boolean keepsSegmentState(int position) {
        int period = retention / size;
        return retention == KvLayout.DENSE || (retention > 0 && (period <= 1 || (position + 1) % period == 0));
    }

    boolean keepsState(int prompt, int sharedBoundary, int position) {
        return keepsSegmentState(position)
                || isBoundary(prompt, sharedBoundary, boundary -> isStateAt(boundary, position));
    }

    private boolean isStateAt(int boundary, int position) {
        int aligned = boundary - boundary % alignment;
        return keepsReplays ? position + 1 == aligned / size : (position + 1) * size == aligned;
    }
}
