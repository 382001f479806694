package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvLayout;

/** Truncates chunks at Mamba states, media items and draft modules. */
final class StepCuts {
    private final EngineState state;
    private final int block;
    private final int unit;
    private final boolean isAligned;
    private final boolean matchesParts;
    private final boolean drops;
    private final int window;
    private final int modules;

    StepCuts(EngineState state) {
        this.state = state;
        KvLayout layout = state.cache.layout();
        block = layout.smallestBlock();
        unit = layout.unit();
        matchesParts = layout.matchesParts();
        drops = layout.dropsLastHit();
        isAligned = layout.groups().stream()
                .anyMatch(group -> group.kind() == KvGroup.Kind.MAMBA && group.states() == KvGroup.States.ALIGN);
        VllmSettings settings = state.settings;
        int threshold = settings.longPrefillTokenThreshold();
        window = threshold > 0
                ? Math.min(threshold, settings.maxNumScheduledTokens())
                : settings.maxNumScheduledTokens();
        modules = settings.speculation().modules();
    }

    /** Returns the tokens of a chunk from {@code start} that may be scheduled, at most {@code tokens}. */
    int cut(LiveRequest request, int start, int tokens) {
        int left = isAligned ? alignedToStates(request, start, tokens) : tokens;
        if (request.hasMedia) {
            left = state.encoders.cut(request, start, left, mediaAhead());
        }
        if (modules > 1) {
            int drafts = state.settings.speculation().tokens();
            int rest = request.known() - start - left;
            if (rest > 0 && rest < drafts) {
                left = Math.max(0, left - (drafts - rest));
            }
        }
        return left;
    }

    void take(LiveRequest request, int start, int tokens) {
        if (request.hasMedia) {
            state.encoders.take(request, start, tokens, mediaAhead());
        }
    }

    /** Returns the positions after a chunk that the draft model reads. */
    int mediaAhead() {
        if (modules > 1) {
            return state.settings.speculation().tokens();
        }
        return drops ? 1 : 0;
    }

    private int alignedToStates(LiveRequest request, int start, int tokens) {
        int known = request.known();
        if (start >= Math.max(request.prompt, known - 1)) {
            return tokens;
        }
        int last = known - known % block;
        if (drops) {
            last = Math.max(last - block, 0);
        }
        int end = start + tokens;
        if (end < Math.max(request.prompt, known - 1)) {
            int aligned = end / block * block;
            if (aligned > start || block <= window) {
                end = aligned;
            }
        }
        int stop = end;
        if (start % block != 0) {
            stop = earlier(stop, (start / block + 1) * block, start, end);
        }
        stop = earlier(stop, last, start, end);
        if (matchesParts) {
            int part = request.prompt / unit * unit;
            if (last < part) {
                stop = earlier(stop, part, start, end);
            }
        }
        int shared = state.cache.sharedBoundary(request.blocks);
        if (shared > start && shared < end) {
            stop = earlier(stop, start + (shared - start) / block * block, start, end);
        }
        return Math.max(stop - start, 0);
    }

    private static int earlier(int stop, int candidate, int start, int end) {
        return candidate > start && candidate < end ? Math.min(stop, candidate) : stop;
    }
}
