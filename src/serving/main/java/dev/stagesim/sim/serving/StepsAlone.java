package dev.stagesim.sim.serving;

import org.jspecify.annotations.Nullable;

/**
 * Steps of a replica of one stage that follow one another while nothing else happens: what the events of each would do, in
 * their order, without a queue.
 *
 * <p>Steps of the same requests, all of which decode, are steady: what they add to the accounts of each request is added
 * later, step by step, so that sums are the same to the last bit.
 *
 * <p><b>Caveat:</b> none is steady where a recorder reads the accounts of requests between their first token and their last.
 */
final class StepsAlone {
    /** Steady steps whose times are kept. */
    private static final int MOST = 256;

    private final ServingSimulator all;
    private final RequestStates states;
    private final RecorderSet recorders;
    private final double[] totals = new double[MOST];
    private final double[] models = new double[MOST];

    StepsAlone(ServingSimulator all, RequestStates states, RecorderSet recorders) {
        this.all = all;
        this.states = states;
        this.recorders = recorders;
    }

    /** Ends a batch at the present time, and runs what follows up to a time before which nothing else happens. */
    void run(int replica, Batch first, double until) {
        Batch batch = first;
        while (true) {
            long most = recorders.readRequests ? 0 : all.replicas[replica].steadySteps();
            Batch left = most > 0 ? steady(replica, batch, (int) Math.min(most, MOST), until) : batch;
            if (left == null) {
                return;
            }
            all.count(EventType.BATCH_STAGE_END, 1);
            all.endStage(left, 0);
            all.count(EventType.REPLICA_STAGE_SCHEDULE, 1);
            Batch next = waiting(all.stages.start(replica, 0)); // one that was planned before this one ended
            double end = next == null ? all.now : start(next);
            all.count(EventType.BATCH_END, 1);
            all.endBatch(replica, left);
            all.count(EventType.REPLICA_SCHEDULE, 1);
            all.plan(replica);
            if (next == null) {
                next = waiting(all.stages.start(replica, 0));
                if (next == null) {
                    return;
                }
                end = start(next);
            }
            batch = next;
            if (!(end < until)) {
                all.create(end, EventType.BATCH_STAGE_END, replica, 0, batch.slot);
                return;
            }
            all.advanceTo(end);
        }
    }

    private @Nullable Batch waiting(int slot) {
        return slot < 0 ? null : all.pool.get(slot);
    }

    /** Runs a batch on the stage; returns when it ends. */
    private double start(Batch batch) {
        all.steps.compute(batch, states);
        double seconds = all.stretch.applyAsDouble(batch.step.totalSeconds(true));
        all.tellStart(batch, 0);
        return all.now + seconds;
    }

    /**
     * Ends steady steps and plans as many others.
     *
     * @return the batch that ends next at the present time; null where it ends later, in an event of its own
     */
    private @Nullable Batch steady(int replica, Batch first, int most, double until) {
        BatchPolicy policy = all.replicas[replica];
        Batch running = first;
        int slot = all.stages.takeNext(replica, 0);
        Batch planned = slot < 0 ? null : all.pool.get(slot);
        double since = states.lastIterationEnd[first.requests[0]];
        double end = all.now;
        int count = 0;
        while (count < most && end < until) {
            all.advanceTo(end);
            long allocated = policy.allocatedBlocks();
            long kvTokens = policy.planSteady();
            if (kvTokens < 0) {
                break;
            }
            note(running.step, count++);
            tellEnd(running);
            Batch next = planned;
            end = next == null ? end : startSteady(next);
            tellResults(running, since);
            sample(policy, replica, allocated);
            plan(policy, running, kvTokens);
            planned = running;
            if (next == null) {
                next = running;
                planned = null;
                end = startSteady(next);
            }
            running = next;
            since = all.now;
        }
        if (planned != null) {
            all.stages.append(replica, 0, planned.slot);
        }
        account(policy, running, count, since);
        if (end < until) {
            all.advanceTo(end);
            return running;
        }
        all.create(end, EventType.BATCH_STAGE_END, replica, 0, running.slot);
        return null;
    }

    /** Adds up what the steps did, once for all of them. */
    private void account(BatchPolicy policy, Batch running, int count, double since) {
        if (count > 0) {
            settle(running, count, since);
            policy.endSteady(count, running.size);
            all.countSteady(count, running.size);
        }
    }

    private void note(StepTimes.Step step, int at) {
        totals[at] = step.totalSeconds(true);
        models[at] = step.modelSeconds(true);
    }

    private void tellEnd(Batch batch) {
        for (ServingRecorder recorder : recorders.stageEnded) {
            recorder.stageEnded(batch, 0, all.now, batch.step.totalSeconds(true), batch.step.modelSeconds(true));
        }
    }

    private double startSteady(Batch batch) {
        double seconds = all.stretch.applyAsDouble(batch.step.totalSeconds(true));
        batch.startedAt = all.now;
        for (ServingRecorder recorder : recorders.started) {
            recorder.stageStarted(batch, 0, all.now, all.steps.mfuPercent(batch.step, true));
        }
        return all.now + seconds;
    }

    private void tellResults(Batch batch, double since) {
        for (ServingRecorder recorder : recorders.ended) {
            recorder.batchEnded(batch, all.now, states);
        }
        for (ServingRecorder recorder : recorders.latencies) {
            recorder.decodeLatencies(all.now - since, batch.size, all.now);
            recorder.tokenGaps(since, batch.size, all.now);
        }
    }

    private void sample(BatchPolicy policy, int replica, long allocated) {
        for (ServingRecorder recorder : recorders.blocks) {
            recorder.memorySample(replica, all.now, allocated, policy.totalBlocks());
        }
        for (ServingRecorder recorder : recorders.queue) {
            recorder.queueSample(replica, all.now, policy.waitingCount());
        }
    }

    /** The batch that has ended is the next one that is planned. */
    private void plan(BatchPolicy policy, Batch batch, long kvTokens) {
        batch.id = all.nextBatch++;
        batch.scheduledAt = all.now;
        batch.inStepKv = kvTokens;
        batch.step.clear();
        all.steps.compute(batch, states);
        for (ServingRecorder recorder : recorders.formed) {
            recorder.batchScheduled(batch, all.now);
        }
        sample(policy, batch.replica, policy.allocatedBlocks());
        for (ServingRecorder recorder : recorders.admission) {
            recorder.admissionSample(batch.replica, all.now, AdmissionLimit.NONE);
        }
    }

    /** Adds what steps added to the accounts of their requests, the last of which ended at such a time. */
    private void settle(Batch batch, int count, double last) {
        for (int i = 0; i < batch.size; i++) {
            int request = batch.requests[i];
            double total = states.execution[request];
            double model = states.modelExecution[request];
            for (int step = 0; step < count; step++) {
                total += totals[step];
                model += models[step];
            }
            states.execution[request] = total;
            states.modelExecution[request] = model;
            states.processed[request] += count;
            states.emitted[request] += count;
            states.lastIterationEnd[request] = last;
            states.lastStageEnd[request] = last;
        }
    }
}
