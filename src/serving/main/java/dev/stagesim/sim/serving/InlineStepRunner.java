package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.replica.AdmissionLimit;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.BatchPolicy;
import dev.stagesim.sim.serving.replica.EventType;
import dev.stagesim.sim.serving.replica.RecorderSet;
import dev.stagesim.sim.serving.replica.RequestProgress;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.replica.StepTimes;
import org.jspecify.annotations.Nullable;

/**
 * Runs consecutive steps of a single-stage replica inline, with the same effects and order as the queued events.
 *
 * <p>Steps are steady if they have the same requests and all of them decode. Their effect on the state of each request is
 * added later, step by step, so that sums are bit-identical.
 *
 * <p><b>Caveat:</b> no step is steady if a recorder reads the state of requests between their first and last tokens.
 */
final class InlineStepRunner {
    /** Maximum number of steady steps in a run; their times are buffered. */
    private static final int MAX_STEPS = 256;

    private final ServingSimulator all;
    private final RequestStates states;
    private final RecorderSet recorders;
    private final double[] totals = new double[MAX_STEPS];
    private final double[] models = new double[MAX_STEPS];

    InlineStepRunner(ServingSimulator all, RequestStates states, RecorderSet recorders) {
        this.all = all;
        this.states = states;
        this.recorders = recorders;
    }

    /**
     * Ends a batch at the current time and runs the following ones up to {@code untilOther}, the time of the next other event.
     */
    void run(int replica, Batch first, double untilOther) {
        Batch batch = first;
        double until = untilOther;
        while (true) {
            long maxSteps = recorders.readRequests ? 0 : all.replicas[replica].steadySteps();
            Batch left = maxSteps > 0 ? steady(replica, batch, (int) Math.min(maxSteps, MAX_STEPS), until) : batch;
            if (left == null) {
                return;
            }
            all.counters.count(EventType.BATCH_STAGE_END, 1);
            all.executor.endStage(left, 0);
            all.counters.count(EventType.REPLICA_STAGE_SCHEDULE, 1);
            Batch next = waiting(all.stages.start(replica, 0)); // a batch that was planned before this one ended
            double end = next == null ? all.now : start(next);
            all.counters.count(EventType.BATCH_END, 1);
            all.endBatch(replica, left);
            until = all.inlineEnd(until);
            all.counters.count(EventType.REPLICA_SCHEDULE, 1);
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

    /** Starts a batch on the stage and returns its end. */
    private double start(Batch batch) {
        all.steps.compute(batch, states);
        double seconds = all.durationScaler.applyAsDouble(batch.step.totalSeconds(true));
        all.executor.notifyStart(batch, 0);
        return all.now + seconds;
    }

    /**
     * Ends steady steps and plans the same number of new ones.
     *
     * @return the batch that ends next at the current time, or null if it ends later in a queued event
     */
    private @Nullable Batch steady(int replica, Batch first, int maxSteps, double until) {
        BatchPolicy policy = all.replicas[replica];
        Batch running = first;
        int slot = all.stages.takeNext(replica, 0);
        Batch planned = slot < 0 ? null : all.pool.get(slot);
        double since = states.progress.lastIterationEnd[states.progress.at(first.requests[0])];
        double end = all.now;
        int count = 0;
        while (count < maxSteps && end < until) {
            all.advanceTo(end);
            long allocated = policy.allocatedBlocks();
            long kvTokens = policy.planSteady();
            if (kvTokens < 0) {
                break;
            }
            note(running.step, count++);
            notifyEnd(running);
            Batch next = planned;
            end = next == null ? end : startSteady(next);
            recorders.batchEnded(running, all.now, states);
            recorders.gaps(all.now - since, since, running.size, all.now);
            recorders.sampleMemory(replica, policy, allocated, all.now);
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

    /** Adds the effects of all steps to the accounts. */
    private void account(BatchPolicy policy, Batch running, int count, double since) {
        if (count > 0) {
            settle(running, count, since);
            policy.endSteady(count, running.size);
            all.counters.countSteady(count, running.size);
        }
    }

    private void note(StepTimes.Step step, int at) {
        totals[at] = step.totalSeconds(true);
        models[at] = step.modelSeconds(true);
    }

    private void notifyEnd(Batch batch) {
        for (ServingRecorder recorder : recorders.stageEnded) {
            recorder.stageEnded(batch, 0, all.now, batch.step.totalSeconds(true), batch.step.modelSeconds(true));
        }
    }

    private double startSteady(Batch batch) {
        double seconds = all.durationScaler.applyAsDouble(batch.step.totalSeconds(true));
        batch.startedAt = all.now;
        for (ServingRecorder recorder : recorders.started) {
            recorder.stageStarted(batch, 0, all.now, all.steps.mfuPercent(batch.step, true));
        }
        return all.now + seconds;
    }

    /** Plans the batch that has just ended as the next step. */
    private void plan(BatchPolicy policy, Batch batch, long kvTokens) {
        batch.id = all.nextBatch++;
        batch.scheduledAt = all.now;
        batch.lockstepKv = kvTokens;
        batch.step.clear();
        all.steps.compute(batch, states);
        recorders.batchScheduled(batch, all.now);
        recorders.sampleMemory(batch.replica, policy, all.now);
        for (ServingRecorder recorder : recorders.admission) {
            recorder.admissionSample(batch.replica, all.now, AdmissionLimit.NONE);
        }
    }

    /** Adds {@code count} steps, which ended at {@code last}, to the states of their requests. */
    private void settle(Batch batch, int count, double last) {
        RequestProgress progress = states.progress;
        for (int i = 0; i < batch.size; i++) {
            int request = batch.requests[i];
            int at = progress.at(request);
            double total = progress.execution[at];
            double model = progress.modelExecution[at];
            for (int step = 0; step < count; step++) {
                total += totals[step];
                model += models[step];
            }
            progress.execution[at] = total;
            progress.modelExecution[at] = model;
            progress.processed[at] += count;
            states.emitted[request] += count;
            progress.lastIterationEnd[at] = last;
            progress.lastStageEnd[at] = last;
        }
    }
}
