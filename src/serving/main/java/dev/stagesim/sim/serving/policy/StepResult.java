package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.core.IntList;
import java.util.ArrayList;
import java.util.List;

/** The report of the workers after a step, without tokens. */
public final class StepResult {
    /** Requests whose KV cache has arrived. */
    public final List<LiveRequest> received = new ArrayList<>();

    /** Requests whose KV cache was sent. */
    public final List<LiveRequest> sent = new ArrayList<>();

    /** Blocks that failed to load. */
    public final IntList invalid = new IntList();

    /** Receives the tokens and completions of a processed step. */
    public interface Listener {
        /** A request got {@code tokens} output tokens; its status shows whether it has ended. */
        void output(LiveRequest request, int tokens);
    }
}
