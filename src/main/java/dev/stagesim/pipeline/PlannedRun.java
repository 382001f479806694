package dev.stagesim.pipeline;

import java.util.List;

/** A run that is bound, checked and given its inputs, and is yet to be made. */
public final class PlannedRun<S extends Record> {
    private final Plan<S> plan;
    private final RunOptions options;

    PlannedRun(Plan<S> plan, RunOptions options) {
        this.plan = plan;
        this.options = options;
    }

    Plan<S> plan() {
        return plan;
    }

    RunOptions options() {
        return options;
    }

    /** What was asked. */
    public RunRequest request() {
        return plan.request();
    }

    /** The runs it is made of, in the order in which they are made. */
    public List<ChainLink> chain() {
        return ChainLink.of(plan);
    }
}
