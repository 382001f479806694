package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.core.IntList;
import java.util.ArrayList;
import java.util.List;

/** What the workers report with a step besides tokens. */
public final class StepResult {
    /** Requests whose keys and values have arrived. */
    public final List<LiveRequest> received = new ArrayList<>();

    /** Requests whose keys and values have been taken. */
    public final List<LiveRequest> sent = new ArrayList<>();

    /** Blocks that could not be filled. */
    public final IntList invalid = new IntList();
}
