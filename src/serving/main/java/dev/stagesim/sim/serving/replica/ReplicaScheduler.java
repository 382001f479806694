package dev.stagesim.sim.serving.replica;

import dev.stagesim.model.Problem;
import dev.stagesim.sim.core.IntDeque;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.Optional;

/**
 * Base class of the schedulers that form the batches of a replica within its KV-block budget.
 *
 * <p>A request is in the waiting queue, in the running list, or in a batch in flight. It owns blocks from admission
 * until it completes or restarts.
 */
public abstract class ReplicaScheduler extends BatchPolicy {
    final RequestStates states;
    final IntDeque waiting = new IntDeque();
    final IntDeque running = new IntDeque();

    /** Decoding requests in lockstep. The first one is at position {@code ahead} of the running list. */
    private Cohort cohort;

    private int ahead;
    final long totalBlocks;
    final int blockSize;
    final int cap;
    final int microBatch;
    private final int stages;
    private final boolean shrinks;
    private final Restarts restarts;
    private final int sparedBlocks;
    private long allocatedBlocks;
    private int allocatedRequests;
    private int outstanding;

    /** Withdrawn requests that are still in a batch. */
    private int leaving;

    private double now;
    private AdmissionLimit limit = AdmissionLimit.NONE;

    /** Receives notifications of restarts. */
    public interface Restarts {
        void restarted(int request, double time);
    }

    /** A specification that creates its scheduler, for schedulers outside the product. */
    interface Factory {
        ReplicaScheduler scheduler(Parts parts);
    }

    /** Constructor arguments of a scheduler. */
    public record Parts(ServingSpec spec, MemoryPlan plan, RequestStates states, BatchPool pool, Restarts restarts) {}

    ReplicaScheduler(Parts parts) {
        ServingSpec spec = parts.spec();
        MemoryPlan plan = parts.plan();
        this.states = parts.states();
        this.totalBlocks = plan.numBlocks();
        this.blockSize = spec.scheduler().limits().blockSize();
        this.cap = spec.scheduler().limits().batchSizeCap();
        this.microBatch = plan.microBatch();
        this.stages = spec.cluster().pipelineStages();
        this.shrinks = spec.has(VidurQuirk.SHRUNK_PROMPTS);
        this.restarts = parts.restarts();
        this.cohort = newCohort(spec, states);
        this.sparedBlocks = spec.has(VidurQuirk.SPARE_BLOCK) && spec.scheduler().preempts() ? 1 : 0;
    }

    /** Returns an empty cohort for requests of the specified scheduler. */
    public static Cohort newCohort(ServingSpec spec, RequestStates states) {
        SchedulerSpec scheduler = spec.scheduler();
        int blockSize = scheduler.reservesSequences() ? 0 : scheduler.limits().blockSize();
        return new Cohort(states, blockSize, spec.timing().cpuOverheads());
    }

    @Override
    public final int depth() {
        return stages;
    }

    /** Adds a new request to the end of the waiting queue. */
    @Override
    public final void enqueue(int request) {
        waiting.addLast(request);
        outstanding++;
    }

    @Override
    public final void form(Batch batch, double at) {
        now = at;
        fill(batch);
        limit = waiting.isEmpty() ? AdmissionLimit.NONE : heldBackBy(batch);
    }

    abstract void fill(Batch batch);

    /** Returns the limit that kept the first waiting request out of the batch that was just filled. */
    abstract AdmissionLimit heldBackBy(Batch batch);

    @Override
    final AdmissionLimit limit() {
        return limit;
    }

    @Override
    public boolean requeue(Batch batch) {
        requeue(batch, 0, batch.cohortFrom);
        takeBackCohort(batch);
        requeue(batch, batch.cohortTo, batch.size);
        return false;
    }

    private void requeue(Batch batch, int from, int to) {
        for (int i = from; i < to; i++) {
            requeue(batch.requests[i]);
        }
    }

    private void requeue(int request) {
        if (states.over(request)) {
            end(request);
        } else {
            addRunning(request);
        }
    }

    private void end(int request) {
        release(request);
        outstanding--;
        if (states.withdrawn(request)) {
            leaving--;
            if (!states.completed(request)) {
                left.addLast(request);
            }
        }
    }

    @Override
    public boolean withdraw(int request) {
        if (withdrawWaiting(request)) {
            return true;
        }
        cohort.dissolve();
        if (running.remove(request)) {
            release(request);
            outstanding--;
            return true;
        }
        states.set(request, RequestStates.WITHDRAWN);
        leaving++;
        return false;
    }

    final boolean withdrawWaiting(int request) {
        boolean waits = waiting.remove(request);
        outstanding -= waits ? 1 : 0;
        return waits;
    }

    private void takeBackCohort(Batch batch) {
        Cohort members = batch.cohort;
        for (int i = 0; i < members.doneCount(); i++) {
            end(members.doneRequest(i));
        }
        members.removeDone();
        int count = members.size();
        if (count == 0) {
            return;
        }
        if (cohort.isEmpty() && !members.tooOld() && leaving == 0) {
            ahead = running.size();
            running.addAll(members.ids(), count);
            batch.cohort = cohort;
            cohort = members;
        } else {
            members.dissolve();
            for (int i = 0; i < count; i++) {
                requeue(members.ids()[i]);
            }
        }
    }

    /** Adds a request to the end of the running list, and to the cohort if the list ends with the cohort. */
    private void addRunning(int request) {
        if (cohort.isEmpty()) {
            ahead = running.size();
        }
        boolean atEnd = ahead + cohort.size() == running.size();
        running.addLast(request);
        if (atEnd && cohort.canJoin(request)) {
            cohort.join(request);
        }
    }

    /** Removes the individual request at the head of the running list. */
    final int firstRunning() {
        if (ahead == 0) {
            cohort.dissolve();
        }
        ahead--;
        return running.removeFirst();
    }

    /** Removes the request at the end of the running list. */
    final int lastRunning() {
        if (ahead + cohort.size() == running.size()) {
            cohort.dissolve();
        }
        return running.removeLast();
    }

    /** Inserts a request at the head of the running list. */
    final void addFirstRunning(int request) {
        running.addFirst(request);
        ahead++;
    }

    /** Sorts the running list by arrival, stably. */
    final void sortRunning() {
        int count = running.size();
        int inside = cohort.sorted() ? cohort.size() - 1 : 0;
        for (int i = 1; i < count; i++) {
            if (i == ahead + 1 && inside > 0) {
                i += inside;
            }
            if (i < count && states.arrivedAt[running.get(i)] < states.arrivedAt[running.get(i - 1)]) {
                cohort.dissolve();
                running.sortBy(states.arrivedAt);
                return;
            }
        }
    }

    /**
     * Adds the cohort to a batch as a whole if it is at the head of the running list, the batch has room for {@code
     * max} more requests, and the next blocks of the members are free without a restart. Otherwise, its members become
     * individual requests.
     */
    final boolean takeCohort(Batch batch, int max) {
        if (ahead != 0 || cohort.isEmpty()) {
            return false;
        }
        int due = cohort.blocksDue();
        if (cohort.size() > max || freeBlocks() < due + sparedBlocks) {
            return false;
        }
        allocatedBlocks += due;
        running.removeFirst(cohort.size());
        cohort = batch.exchange(cohort);
        return true;
    }

    /** Updates the states of the running requests. */
    final void writeBack() {
        cohort.writeBack();
    }

    @Override
    public final void settle() {
        cohort.dissolve();
    }

    final void completedOne() {
        outstanding--;
    }

    @Override
    public final int waitingCount() {
        return waiting.size();
    }

    @Override
    public final int outstanding() {
        return outstanding;
    }

    @Override
    public final Optional<Problem> stuck(ServingSpec spec, int replica) {
        return idle() ? Optional.empty() : Optional.of(DeadlockReport.of(spec, states, this, replica));
    }

    @Override
    final long totalBlocks() {
        return totalBlocks;
    }

    @Override
    public final long allocatedBlocks() {
        return allocatedBlocks;
    }

    final long freeBlocks() {
        return totalBlocks - allocatedBlocks;
    }

    final int allocatedRequests() {
        return allocatedRequests;
    }

    @Override
    public final boolean idle() {
        return waiting.isEmpty() && allocatedRequests == 0;
    }

    final int blocksFor(int tokens) {
        return (tokens + blockSize - 1) / blockSize;
    }

    /** Allocates the first blocks of a waiting request and records the time of its first scheduling. */
    final void admit(int request, int blocks) {
        states.progress.blocks[states.progress.at(request)] = blocks;
        allocatedBlocks += blocks;
        allocatedRequests++;
        if (states.restarts(request) == 0 && (states.flags[request] & RequestStates.SCHEDULED) == 0) {
            states.scheduledAt[request] = now;
        }
        states.set(request, RequestStates.SCHEDULED);
    }

    final void addBlock(int request) {
        states.progress.blocks[states.progress.at(request)]++;
        allocatedBlocks++;
    }

    final void release(int request) {
        int at = states.progress.at(request);
        allocatedBlocks -= states.progress.blocks[at];
        allocatedRequests--;
        states.progress.blocks[at] = -1;
    }

    /** Frees the memory of a request and returns it to the front of the waiting queue. */
    final void preempt(int request) {
        states.restart(request, shrinks);
        release(request);
        waiting.addFirst(request);
        restarts.restarted(request, now);
    }
}
