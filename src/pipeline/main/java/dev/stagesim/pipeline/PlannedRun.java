package dev.stagesim.pipeline;

import dev.stagesim.pipeline.request.Plan;
import dev.stagesim.pipeline.request.PlannedStage;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import java.util.List;

/** A planned run: its settings are bound and checked, and its inputs are determined. */
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

    /** Returns the request of the run. */
    public RunRequest request() {
        return plan.request();
    }

    /** Returns the upstream runs and the run itself, in order of execution. */
    public List<PlannedStage> chain() {
        return PlannedStage.of(plan);
    }
}
