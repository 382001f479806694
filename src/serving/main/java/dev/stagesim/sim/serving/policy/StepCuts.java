package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvLayout;
import dev.stagesim.sim.serving.memory.VllmRules;

/** Truncates chunks at Mamba states, media items and draft modules. */
final class StepCuts {
    private final EngineState state;
    private final KvLayout layout;
    private final VllmRules rules;
    private final int block;
    private final int unit;
    private final boolean isAligned;
    private final boolean matchesParts;
    private final int window;
    private final int modules;

    StepCuts(EngineState state) {
        this.state = state;
        layout = state.cache.layout();
        rules = layout.rules();
        block = layout.smallestBlock();
        unit = layout.unit();
        matchesParts = layout.matchesParts();
        isAligned = layout.groups().stream()
                .anyMatch(group -> group.kind() == KvGroup.Kind.MAMBA && group.states() == KvGroup.States.ALIGN);
        VllmSettings settings = state.settings;
        int threshold = settings.pacing().longPrefillThreshold();
        window = threshold > 0
                ? Math.min(threshold, settings.tokens().scheduled())
                : settings.tokens().scheduled();
        modules = settings.speculation().modules();
    }

    /** Returns the tokens of a chunk from {@code start} that may be scheduled, at most {@code tokens}. */
    int cut(LiveRequest request, int start, int tokens) {
        return cutInputs(request, start, cutStates(request, start, tokens));
    }

    /** Returns the tokens of a chunk up to the position of a Mamba state that must be cached. */
    int cutStates(LiveRequest request, int start, int tokens) {
        return isAligned ? alignedToStates(request, start, tokens) : tokens;
    }

    /** Returns the tokens of a chunk whose media and draft inputs are available. */
    int cutInputs(LiveRequest request, int start, int tokens) {
        int left = tokens;
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
        return state.settings.speculation().tokensAhead();
    }

    private int alignedToStates(LiveRequest request, int start, int tokens) {
        int prefillEnd = Math.max(request.prompt, request.known() - 1);
        if (start >= prefillEnd) {
            return tokens;
        }
        int end = start + tokens;
        boolean savesInside = end >= prefillEnd && savesInside(start, end, prefillEnd);
        if (end < prefillEnd) {
            int aligned = end / block * block;
            if (aligned > start || block <= window) {
                end = aligned;
            }
        }
        int last = savesInside ? 0 : lastState(request.known(), block);
        int stop = end;
        if (start % block != 0 && !savesInside) {
            stop = earlier(stop, (start / block + 1) * block, start, end);
        }
        stop = earlier(stop, last, start, end);
        if (matchesParts && !savesInside) {
            int part = lastState(request.prompt, unit);
            boolean isInside = last < part && (!rules.leavesTokenAfterState() || part < request.prompt);
            stop = isInside ? earlier(stop, part, start, end) : stop;
        }
        int shared = state.cache.sharedBoundary(request.blocks);
        if (shared > start && shared < end) {
            stop = earlier(stop, start + (shared - start) / block * block, start, end);
        }
        return Math.max(stop - start, 0);
    }

    /** Returns true if the kernel saves the last reusable state of a prompt inside its last chunk. */
    private boolean savesInside(int start, int end, int prefillEnd) {
        int position = layout.lastStatePosition(prefillEnd, layout.hitUnit());
        boolean isAny = false;
        for (KvGroup group : layout.groups()) {
            if (group.kind() == KvGroup.Kind.MAMBA) {
                if (!layout.savesInside(group, start, end, position)) {
                    return false;
                }
                isAny = true;
            }
        }
        return isAny;
    }

    private int lastState(int tokens, int step) {
        if (rules.leavesTokenAfterState()) {
            return layout.lastStatePosition(tokens, step);
        }
        int last = tokens / step * step;
        return step == block && layout.dropsLastHit() ? Math.max(last - block, 0) : last;
    }

    private static int earlier(int stop, int candidate, int start, int end) {
        return candidate > start && candidate < end ? Math.min(stop, candidate) : stop;
    }
}
