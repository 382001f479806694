package dev.stagesim.sim.serving.replica;

import dev.stagesim.model.Problem;
import dev.stagesim.sim.core.IntDeque;
import dev.stagesim.sim.serving.policy.KvRequest;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Optional;

/**
 * The scheduling policy of one replica: forms batches, processes their results and manages the memory.
 *
 * <p>The event loop depends on an engine only through this class.
 */
public abstract class BatchPolicy {
    /** Withdrawn requests that have left their batch since the last check. */
    public final IntDeque left = new IntDeque();

    /** True if the next batch starts no prompts while requests decode and none was left waiting. */
    public boolean defersPrefills;

    /** Returns the maximum number of batches in flight. */
    public abstract int depth();

    /** Returns true if the event that ends a batch also forms the next ones, with the requests as they are at that time. */
    public boolean plansImmediately() {
        return false;
    }

    /** Returns the number of steps that can be planned with exactly the requests of the steps in flight. They all decode. */
    public long steadySteps() {
        return 0;
    }

    /**
     * Plans one of the {@link #steadySteps} after the oldest step in flight has ended.
     *
     * @return tokens that its decodes attend to, or -1 if memory may run out and nothing was planned
     */
    public long planSteady() {
        return -1;
    }

    /** Ends {@code count} steps of {@code requests} requests each, which {@link #planSteady} planned since the last call. */
    public void endSteady(int count, int requests) {}

    /** Adds a request to the waiting queue. */
    public abstract void enqueue(int request);

    /**
     * Returns true if the sampled tokens that a formed batch reads are available, so that the first pipeline stage can start
     * it.
     */
    public boolean isReady(Batch batch) {
        return true;
    }

    /**
     * Reports that the KV cache of a request has arrived, or has been transferred to another engine. Returns true if this
     * releases memory at once.
     */
    public boolean moved(KvRequest request, boolean isHere) {
        throw new IllegalStateException("the engine does not exchange KV caches");
    }

    /** Fills an empty batch at time {@code now}, or leaves it empty if nothing can run. */
    public abstract void form(Batch batch, double now);

    /** Counts the tokens of a batch that has ended and notifies the recorders. */
    public void end(Batch batch, double now, RequestAccounting accounts) {
        accounts.advance(batch, now);
        accounts.report(batch, now);
    }

    /** Requeues the requests of a batch that has ended. Returns true if the policy keeps the batch object. */
    public boolean requeue(Batch batch) {
        return false;
    }

    /**
     * Removes a cancelled request.
     *
     * @return true if it has left, false if it leaves at the end of its current batch
     */
    public abstract boolean withdraw(int request);

    /** Returns the limit that kept requests waiting when a batch was last formed. */
    abstract AdmissionLimit limit();

    /** Returns the number of requests in the queue for admission. */
    public abstract int waitingCount();

    /** Returns the number of requests of this replica that are not complete. */
    public abstract int outstanding();

    public abstract long allocatedBlocks();

    abstract long totalBlocks();

    /** Returns true if no request waits or uses memory. */
    public abstract boolean idle();

    /** Writes pending updates to the request states at the end of a run. */
    public abstract void settle();

    /** Returns the reason why the replica cannot proceed, or empty if it can. */
    public abstract Optional<Problem> stuck(ServingSpec spec, int replica);

    /** Returns the metrics of an engine with a prefix cache; empty for other policies. */
    public Optional<EngineCounters> figures() {
        return Optional.empty();
    }
}
