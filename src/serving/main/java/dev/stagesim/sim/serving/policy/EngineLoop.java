package dev.stagesim.sim.serving.policy;

import java.util.ArrayDeque;
import java.util.Deque;
import org.jspecify.annotations.Nullable;

/**
 * The loop of an engine core: plans steps ahead of their results while there is room for more batches in flight.
 *
 * <p>Filling the queue goes before processing results. A batch without tokens takes a place in it like any other.
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

    /** Whether another turn has anything to do. */
    public boolean hasWork() {
        return scheduler.hasRequests() || !inFlight.isEmpty();
    }

    /** Plans the next step; null when there is nothing to plan. */
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

    /** The step whose result this turn waits for, after {@link #plan} returned {@code planned}; null when it ends at once. */
    public @Nullable StepPlan due(@Nullable StepPlan planned) {
        if (planned != null && inFlight.size() < depth && (hasExecuted || scheduler.hasRequests())) {
            return null;
        }
        return inFlight.peekFirst();
    }

    /** Plans requests that decode in step together from now on. */
    public InStep together() {
        return scheduler.together(inFlight);
    }

    /** Brings all requests up to date. */
    public void settle() {
        scheduler.settle();
    }

    /** As many steps as {@link InStep#advance} planned have ended; those in flight are the last of them. */
    public void passed(int count) {
        inFlight.forEach(plan -> plan.passed(count));
    }

    /** Processes the oldest step in flight, and returns it. */
    public StepPlan process(StepResult result, Outputs outputs) {
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
