package dev.stagesim.sim.serving;

import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.EventType;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.replica.StepTimes;

/** Executes batches on the pipeline stages of the replicas. */
final class StageExecutor {
    private static final ServingRecorder[] NO_RECORDERS = {};

    private final ServingSimulator all;
    private final int stageCount;

    /** Replicas whose first pipeline stage waits for sampled tokens. */
    private final boolean[] isWaiting;

    StageExecutor(ServingSimulator all, int replicas, int stageCount) {
        this.all = all;
        this.stageCount = stageCount;
        isWaiting = new boolean[replicas];
    }

    /** Returns true if the first stage of a replica waits for sampled tokens. */
    boolean isWaiting(int replica) {
        return isWaiting[replica];
    }

    void arrive(int replica, int stage, int slot) {
        all.eventBatch = all.pool.get(slot).id;
        all.stages.append(replica, stage, slot);
        all.create(all.now, EventType.REPLICA_STAGE_SCHEDULE, replica, stage, 0);
    }

    void schedule(int replica, int stage) {
        if (all.waves != null && stage == 0) {
            startGroup(all.waves, replica);
            return;
        }
        if (stage == 0 && awaitsTokens(replica)) {
            return;
        }
        int slot = all.stages.start(replica, stage);
        if (slot >= 0) {
            Batch batch = all.pool.get(slot);
            all.steps.compute(batch, all.states());
            start(batch, stage, all.durationScaler.applyAsDouble(batch.step.totalSeconds(isLast(stage))));
        }
    }

    /**
     * Returns true if the first stage has to wait: its next batch reads tokens that an earlier batch, now in a later stage,
     * has not sampled yet. Without pipeline stages, the earlier batch has always left the only stage.
     */
    private boolean awaitsTokens(int replica) {
        if (stageCount == 1) {
            return false;
        }
        int slot = all.stages.next(replica, 0);
        isWaiting[replica] = slot >= 0 && !all.replicas[replica].isReady(all.pool.get(slot));
        return isWaiting[replica];
    }

    /** Starts the first stage of a step on all engines of a group after all of them have a batch. */
    private void startGroup(DataParallelWaves group, int replica) {
        if (!group.group(replica).allMatch(engine -> all.stages.canStart(engine, 0) && !awaitsTokens(engine))) {
            return;
        }
        Batch[] batches = group.group(replica)
                .mapToObj(engine -> all.pool.get(all.stages.start(engine, 0)))
                .toArray(Batch[]::new);
        if (group.skips(batches)) {
            for (Batch batch : batches) {
                start(batch, 0, 0);
            }
            return;
        }
        double waits = all.steps.together(batches, stageCount);
        StepTimes.Step step = batches[0].step;
        group.started(batches, step.totalSeconds(false) * (stageCount - 1) + step.totalSeconds(true), waits);
        double seconds = all.durationScaler.applyAsDouble(step.totalSeconds(isLast(0)));
        for (Batch batch : batches) {
            start(batch, 0, seconds);
        }
    }

    private void start(Batch batch, int stage, double seconds) {
        all.eventBatch = batch.id;
        notifyStart(batch, stage);
        all.create(all.now + seconds, EventType.BATCH_STAGE_END, batch.replica, stage, batch.slot);
    }

    void notifyStart(Batch batch, int stage) {
        if (stage == 0) {
            batch.startedAt = all.now;
        }
        all.accounting.stageScheduled(batch, all.now);
        for (ServingRecorder recorder : listeners(batch, all.recorders.started)) {
            recorder.stageStarted(batch, stage, all.now, all.steps.mfuPercent(batch.step, isLast(stage)));
        }
    }

    void end(int replica, int stage, int slot) {
        Batch batch = all.pool.get(slot);
        all.eventBatch = batch.id;
        endStage(batch, stage);
        all.create(all.now, EventType.REPLICA_STAGE_SCHEDULE, replica, stage, 0);
        if (isLast(stage)) {
            all.create(all.now, EventType.BATCH_END, replica, 0, slot);
        } else {
            all.create(all.now, EventType.BATCH_STAGE_ARRIVAL, replica, stage + 1, slot);
        }
    }

    void endStage(Batch batch, int stage) {
        all.stages.stop(batch.replica, stage);
        boolean last = isLast(stage);
        double total = batch.step.totalSeconds(last);
        double model = batch.step.modelSeconds(last);
        all.accounting.stageEnded(batch, all.now, total, model);
        for (ServingRecorder recorder : listeners(batch, all.recorders.stageEnded)) {
            recorder.stageEnded(batch, stage, all.now, total, model);
        }
    }

    /** Returns the recorders to notify; dummy batches are not recorded. */
    private static ServingRecorder[] listeners(Batch batch, ServingRecorder[] all) {
        return batch.size == 0 ? NO_RECORDERS : all;
    }

    private boolean isLast(int stage) {
        return stage == stageCount - 1;
    }
}
