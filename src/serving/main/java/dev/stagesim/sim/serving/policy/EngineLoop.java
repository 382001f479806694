package dev.stagesim.sim.serving.policy;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The loop of an engine core: plans steps before the results of earlier ones are available, up to the maximum number in
 * flight.
 *
 * <p>Filling the queue precedes processing results. A batch without tokens counts as a batch in flight.
 */
public final class EngineLoop {
    private final VllmV1 scheduler;
    private final int depth;
    private final Deque<StepPlan> inFlight = new ArrayDeque<>();
    private final Deque<StepPlan> spare = new ArrayDeque<>();
    private boolean hasExecuted;

    public EngineLoop(VllmV1 scheduler) {
        this.scheduler = scheduler;
        this.depth = scheduler.settings().batchesInFlight();
    }

    /** Returns true if another iteration has work. */
    public boolean hasWork() {
        return scheduler.hasRequests() || !inFlight.isEmpty();
    }

    /** Plans the next step, or returns null if there is nothing to plan. */
    public @Nullable StepPlan plan(boolean throttles) {
        hasExecuted = false;
        if (!scheduler.hasRequests()) {
            return null;
        }
        StepPlan plan = spare.isEmpty() ? new StepPlan() : spare.removeFirst();
        scheduler.schedule(throttles, plan);
        inFlight.addLast(plan);
        hasExecuted = plan.total() > 0;
        return plan;
    }

    /**
     * Returns the step that this iteration waits for after {@link #plan} returned {@code planned}, or null if it does not
     * wait.
     */
    public @Nullable StepPlan due(@Nullable StepPlan planned) {
        if (planned != null
                && inFlight.size() < depth
                && (hasExecuted || scheduler.hasRequests())
                && !planned.defersSampling()) {
            return null;
        }
        return inFlight.peekFirst();
    }

    /** Plans decoding requests in lockstep from now on. */
    public LockstepDecoder together() {
        return scheduler.together(inFlight);
    }

    /** Updates the state of all requests. */
    public void settle() {
        scheduler.settle();
    }

    /** Ends {@code count} steps that {@link LockstepDecoder#advance} planned; the steps in flight are the last ones. */
    public void passed(int count) {
        inFlight.forEach(plan -> plan.passed(count));
    }

    /** Processes the oldest step in flight and returns it. */
    public StepPlan process(StepResult result, StepResult.Listener outputs) {
        StepPlan plan = inFlight.getFirst();
        scheduler.update(plan, result, outputs);
        inFlight.removeFirst();
        boolean storesDrafts = !scheduler.settings().asyncScheduling()
                && scheduler.settings().speculation().tokens() > 0;
        if (storesDrafts && hasExecuted) {
            scheduler.storeDrafts(plan);
        }
        spare.addLast(plan);
        return plan;
    }
}
