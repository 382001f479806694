package dev.stagesim.sim.serving;

/**
 * Forms a replica's batches under its KV-block budget; what the policies share.
 *
 * <p>A request is in the waiting queue, in the running list, or in a batch in flight. It holds blocks from admission
 * until it completes or is restarted.
 */
abstract sealed class ReplicaScheduler
        permits PagedScheduler, OrcaScheduler, FasterTransformerScheduler, LightLlmScheduler {
    final RequestStates states;
    final IntDeque waiting = new IntDeque();
    final IntDeque running = new IntDeque();
    final long totalBlocks;
    final int blockSize;
    final int cap;
    final int microBatch;
    final boolean quirks;
    private final Restarts restarts;
    private long allocatedBlocks;
    private int allocatedRequests;
    private int outstanding;
    private double now;

    /** Learns of restarts. */
    interface Restarts {
        void restarted(int request, double time);
    }

    ReplicaScheduler(ServingSpec spec, MemoryPlan plan, RequestStates states, Restarts restarts) {
        this.states = states;
        this.totalBlocks = plan.numBlocks();
        this.blockSize = spec.scheduler().limits().blockSize();
        this.cap = spec.scheduler().limits().batchSizeCap();
        this.microBatch = plan.microBatch();
        this.quirks = spec.quirks();
        this.restarts = restarts;
    }

    /** Creates the scheduler that the specification names. */
    static ReplicaScheduler of(
            ServingSpec spec, MemoryPlan plan, RequestStates states, BatchPool pool, Restarts restarts) {
        SchedulerSpec scheduler = spec.scheduler();
        if (scheduler instanceof SchedulerSpec.Vllm vllm) {
            return new VllmScheduler(spec, vllm, plan, states, restarts);
        } else if (scheduler instanceof SchedulerSpec.Sarathi sarathi) {
            return new SarathiScheduler(spec, sarathi, plan, states, restarts);
        } else if (scheduler instanceof SchedulerSpec.Orca) {
            return new OrcaScheduler(spec, plan, states, restarts);
        } else if (scheduler instanceof SchedulerSpec.LightLlm lightLlm) {
            return new LightLlmScheduler(spec, lightLlm, plan, states, restarts);
        }
        return new FasterTransformerScheduler(spec, plan, states, pool, restarts);
    }

    /** Puts a new request at the end of the waiting queue. */
    final void enqueue(int request) {
        waiting.addLast(request);
        outstanding++;
    }

    /** Fills an empty batch at time {@code now}; leaves it empty when there is nothing to run. */
    final void form(Batch batch, double at) {
        now = at;
        fill(batch);
    }

    abstract void fill(Batch batch);

    /** Takes the requests of a finished batch back; true when the scheduler keeps the batch object for itself. */
    boolean batchEnded(Batch batch) {
        for (int i = 0; i < batch.size; i++) {
            int request = batch.requests[i];
            if (states.completed(request)) {
                release(request);
                outstanding--;
            } else {
                running.addLast(request);
            }
        }
        return false;
    }

    final void completedOne() {
        outstanding--;
    }

    /** Requests that wait for admission. */
    final int waitingCount() {
        return waiting.size();
    }

    /** Requests that were assigned here and are not complete. */
    final int outstanding() {
        return outstanding;
    }

    final long allocatedBlocks() {
        return allocatedBlocks;
    }

    final long freeBlocks() {
        return totalBlocks - allocatedBlocks;
    }

    final int allocatedRequests() {
        return allocatedRequests;
    }

    /** True when no request waits and none holds memory. */
    final boolean idle() {
        return waiting.isEmpty() && allocatedRequests == 0;
    }

    final int blocksFor(int tokens) {
        return (tokens + blockSize - 1) / blockSize;
    }

    /** Gives a waiting request its first blocks and notes when it was first scheduled. */
    final void admit(int request, int blocks) {
        states.blocks[request] = blocks;
        allocatedBlocks += blocks;
        allocatedRequests++;
        if (states.restarts[request] == 0 && (states.flags[request] & RequestStates.SCHEDULED) == 0) {
            states.scheduledAt[request] = now;
        }
        states.set(request, RequestStates.SCHEDULED);
    }

    final void addBlock(int request) {
        states.blocks[request]++;
        allocatedBlocks++;
    }

    final void release(int request) {
        allocatedBlocks -= states.blocks[request];
        allocatedRequests--;
        states.blocks[request] = -1;
    }

    /** Frees a request and puts it back at the front of the waiting queue. */
    final void preempt(int request) {
        states.restart(request, quirks);
        release(request);
        waiting.addFirst(request);
        restarts.restarted(request, now);
    }
}
