package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.sim.serving.ServingOutcome.EngineFigures;
import java.util.Optional;

/**
 * What a replica does with its requests: forms batches, takes their results, and knows its memory.
 *
 * <p>The event loop knows nothing else of an engine. One policy serves one replica.
 */
abstract class BatchPolicy {
    /** Requests that were given up and have left their batch since the last look. */
    final IntDeque left = new IntDeque();

    /** Whether the next batch begins no prompts while requests decode and none was left waiting. */
    boolean putsOffPrompts;

    /** Most batches in flight. */
    abstract int depth();

    /** Whether the next batches are formed in the event that ends one, with its requests as they are by then. */
    boolean plansAtOnce() {
        return false;
    }

    /** Steps that can be planned with the requests of all steps in flight and no others, all of which decode. */
    long steadySteps() {
        return 0;
    }

    /**
     * Plans one of {@link #steadySteps}, once the oldest step in flight has ended.
     *
     * @return tokens that its decodes attend to; -1, and nothing is planned, where memory may run out
     */
    long planSteady() {
        return -1;
    }

    /** As many steps have ended as were planned by {@link #planSteady} since the last call, each with so many requests. */
    void endSteady(int count, int requests) {}

    /** A request arrives on the replica. */
    abstract void enqueue(int request);

    /** True if the sampled tokens that a formed batch reads are known, so that the first pipeline stage can start it. */
    boolean isReady(Batch batch) {
        return true;
    }

    /** Fills an empty batch at time {@code now}; leaves it empty when there is nothing to run. */
    abstract void form(Batch batch, double now);

    /** Counts the tokens of a batch that has ended and tells what came of them. */
    void end(Batch batch, double now, BatchEnd accounts) {
        accounts.advance(batch, now);
        accounts.report(batch, now);
    }

    /** Takes the requests of an ended batch back; true when the policy keeps the batch object for itself. */
    boolean takeBack(Batch batch) {
        return false;
    }

    /**
     * Takes out a request that nobody waits for any more.
     *
     * @return true when it is out, false when it leaves with the batch that it is in
     */
    abstract boolean withdraw(int request);

    /** What kept requests waiting when a batch was last looked for. */
    abstract AdmissionLimit limit();

    /** Requests that wait for admission. */
    abstract int waitingCount();

    /** Requests that were assigned here and are not complete. */
    abstract int outstanding();

    abstract long allocatedBlocks();

    abstract long totalBlocks();

    /** True when no request waits and none holds memory. */
    abstract boolean idle();

    /** Brings the accounts of the requests up to date when nothing is to run any more. */
    abstract void settle();

    /** What keeps the replica from going on; empty when it could. */
    abstract Optional<Problem> stuck(ServingSpec spec, int replica);

    /** Figures that only an engine with a prefix cache has. */
    Optional<EngineFigures> figures() {
        return Optional.empty();
    }
}
