package dev.stagesim.sim.serving.replica;

import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.Optional;

/**
 * The batches of one replica for callers that execute them: the scheduler and the accounts of the simulator without its
 * clock.
 *
 * <p>The caller supplies the times of arrivals and of the starts and ends of batches, in seconds that never decrease. Equal
 * times give the same batches as a simulation.
 *
 * <p><b>Caveats:</b> one replica, one pipeline stage, one batch at a time, one thread.
 */
public final class ReplicaBatches {
    private final RequestStates states;
    private final RecorderSet recorders;
    private final ReplicaScheduler scheduler;
    private final BatchPool pool;
    private final RequestAccounting accounting;
    private final MemoryPlan plan;
    private long nextBatch;
    private double formedAt;

    /**
     * Creates a replica without requests.
     *
     * @throws dev.stagesim.model.StageException if the model does not fit the specified memory
     * @throws IllegalArgumentException if there are several replicas or pipeline stages
     */
    public ReplicaBatches(ServingSpec spec, RequestTrace trace, ServingRecorder... recorders) {
        if (spec.cluster().replicas() != 1 || spec.cluster().pipelineStages() != 1) {
            throw new IllegalArgumentException("expected one replica with one stage, got " + spec.cluster());
        }
        this.states = new RequestStates(trace);
        this.recorders = new RecorderSet(recorders);
        this.pool = new BatchPool(() -> ReplicaScheduler.newCohort(spec, states));
        this.plan = MemoryPlan.of(spec);
        this.scheduler = SchedulingPolicies.blockScheduler(
                new ReplicaScheduler.Parts(spec, plan, states, pool, this.recorders::restarted));
        this.accounting = new RequestAccounting(states, this.recorders);
    }

    /** Adds a request to the end of the waiting queue. */
    public void arrive(int request, double now) {
        recorders.arrived(request, now);
        scheduler.enqueue(request);
    }

    /** Forms the next batch; empty if nothing can run. */
    public Optional<Batch> form(double now) {
        Batch batch = pool.take();
        scheduler.form(batch, now);
        if (batch.size == 0) {
            pool.release(batch);
            return Optional.empty();
        }
        batch.id = nextBatch++;
        batch.scheduledAt = now;
        formedAt = now;
        accounting.stageScheduled(batch, now);
        recorders.batchScheduled(batch, now);
        return Optional.of(batch);
    }

    /** Ends a batch: counts its tokens, reports them and requeues its requests. */
    public void ended(Batch batch, double now) {
        accounting.stageEnded(batch, now, now - formedAt, now - formedAt);
        scheduler.end(batch, now, accounting);
        if (!scheduler.requeue(batch)) {
            pool.release(batch);
        }
    }

    public int completed() {
        return accounting.completed();
    }

    /** Returns the updated request states; to be called after the last batch. */
    public RequestStates states() {
        pool.dissolveCohorts();
        scheduler.settle();
        return states;
    }
}
