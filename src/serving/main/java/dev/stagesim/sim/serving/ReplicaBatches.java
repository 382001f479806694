package dev.stagesim.sim.serving;

import java.util.Optional;

/**
 * The batches of one replica, for whoever runs them for real: the simulator's scheduler and accounts without its clock.
 *
 * <p>The caller says when requests arrive and when batches begin and end, in seconds that never go back. For the same
 * times the same batches form as in a simulation.
 *
 * <p><b>Caveats:</b> one replica, one pipeline stage, one batch at a time, one thread.
 */
public final class ReplicaBatches {
    private final RequestStates states;
    private final RecorderSet recorders;
    private final ReplicaScheduler scheduler;
    private final BatchPool pool;
    private final BatchEnd batchEnd;
    private final MemoryPlan plan;
    private long nextBatch;
    private double formedAt;

    /**
     * A replica that nothing has arrived at.
     *
     * @throws dev.stagesim.model.StageException when the model does not fit the specified memory
     * @throws IllegalArgumentException when there are several replicas or pipeline stages
     */
    public ReplicaBatches(ServingSpec spec, RequestTrace trace, ServingRecorder... recorders) {
        if (spec.cluster().replicas() != 1 || spec.cluster().pipelineStages() != 1) {
            throw new IllegalArgumentException("one replica of one stage is run, not " + spec.cluster());
        }
        this.states = new RequestStates(trace);
        this.recorders = new RecorderSet(recorders);
        this.pool = new BatchPool(() -> ReplicaScheduler.newCohort(spec, states));
        this.plan = MemoryPlan.of(spec);
        this.scheduler =
                spec.scheduler().scheduler(new ReplicaScheduler.Parts(spec, plan, states, pool, this::restarted));
        this.batchEnd = new BatchEnd(states, this.recorders);
    }

    private void restarted(int request, double time) {
        for (ServingRecorder recorder : recorders.all) {
            recorder.requestRestarted(request, time);
        }
    }

    /** Puts a request at the end of the waiting queue. */
    public void arrive(int request, double now) {
        for (ServingRecorder recorder : recorders.all) {
            recorder.requestArrived(request, now);
        }
        scheduler.enqueue(request);
    }

    /** Forms the next batch; empty when there is nothing to run. */
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
        batchEnd.stageScheduled(batch, now);
        for (ServingRecorder recorder : recorders.formed) {
            recorder.batchScheduled(batch, now);
        }
        return Optional.of(batch);
    }

    /** Counts a batch's tokens, reports them, and takes its requests back. */
    public void ended(Batch batch, double now) {
        batchEnd.stageEnded(batch, now, now - formedAt, now - formedAt);
        scheduler.end(batch, now, batchEnd);
        if (!scheduler.takeBack(batch)) {
            pool.release(batch);
        }
    }

    public int completed() {
        return batchEnd.completed();
    }

    /** The requests' accounts, brought up to date; to be read when nothing is to run any more. */
    public RequestStates states() {
        pool.dissolveCohorts();
        scheduler.settle();
        return states;
    }
}
