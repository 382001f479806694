package dev.stagesim.sim.serving;

import java.util.EnumSet;
import java.util.Set;

/** Records how full memory was, and how busy and how efficient each pipeline stage was, in percent. */
public final class Utilization implements ServingRecorder {
    private final Series[] memory;
    private final Series[][] busy;
    private final Series[][] mfu;
    private final BatchWindow window;
    private boolean skip;

    public Utilization(ServingSpec spec) {
        this(spec, BatchWindow.all());
    }

    /**
     * With {@link Accident#SAMPLED_MEANS}, memory after the end of a batch outside the window does not count, as in the reference; all else is of
     * the whole run.
     */
    public Utilization(ServingSpec spec, BatchWindow window) {
        this.window = spec.has(Accident.SAMPLED_MEANS) ? window : BatchWindow.all();
        int replicas = spec.cluster().replicas();
        int stages = spec.cluster().pipelineStages();
        memory = new Series[replicas];
        busy = new Series[replicas][stages];
        mfu = new Series[replicas][stages];
        for (int replica = 0; replica < replicas; replica++) {
            memory[replica] = new Series(spec.has(Accident.SAMPLED_MEANS));
            for (int stage = 0; stage < stages; stage++) {
                busy[replica][stage] = new Series(spec.has(Accident.SAMPLED_MEANS));
                mfu[replica][stage] = new Series(spec.has(Accident.SAMPLED_MEANS));
            }
        }
    }

    /** KV blocks in use. */
    public Series memory(int replica) {
        return memory[replica];
    }

    /** 100 while the stage runs a batch, else 0. */
    public Series busy(int replica, int stage) {
        return busy[replica][stage];
    }

    /** Model FLOPs utilisation. */
    public Series mfu(int replica, int stage) {
        return mfu[replica][stage];
    }

    @Override
    public Set<Signal> signals() {
        Set<Signal> signals = EnumSet.of(Signal.STAGE_STARTED, Signal.STAGE_ENDED, Signal.BLOCKS);
        if (!window.isAll()) {
            signals.add(Signal.BATCH_ENDED);
        }
        return signals;
    }

    @Override
    public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
        busy[batch.replica()][stage].add(time, 100);
        mfu[batch.replica()][stage].add(time, mfuPercent);
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {
        busy[batch.replica()][stage].add(time, 0);
        mfu[batch.replica()][stage].add(time, 0);
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        skip = !window.holds(batch.id());
    }

    @Override
    public void memorySample(int replica, double time, long allocated, long total) {
        if (!skip) {
            memory[replica].add(time, allocated * 100.0 / total);
        }
        skip = false;
    }
}
