package dev.stagesim.sim.serving.metrics;

import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.spec.ServingSpec;
import dev.stagesim.sim.serving.spec.VidurQuirk;
import java.util.EnumSet;
import java.util.Set;

/** Records the memory, the busy time and the FLOPs utilisation of each pipeline stage, in percent. */
public final class Utilization implements ServingRecorder {
    private final Series[] memory;
    private final Series[][] busy;
    private final Series[][] mfu;

    /** Power relative to the board power, above that of an idle device. */
    private final Series[][] power;

    private final BatchWindow window;
    private boolean skip;

    public Utilization(ServingSpec spec) {
        this(spec, BatchWindow.all());
    }

    /**
     * With {@link VidurQuirk#SAMPLED_MEANS}, memory samples at the end of batches outside the window do not count, as in the
     * reference. All other values cover the whole run.
     */
    public Utilization(ServingSpec spec, BatchWindow window) {
        this.window = spec.has(VidurQuirk.SAMPLED_MEANS) ? window : BatchWindow.all();
        int replicas = spec.cluster().replicas();
        int stages = spec.cluster().pipelineStages();
        memory = new Series[replicas];
        busy = new Series[replicas][stages];
        mfu = new Series[replicas][stages];
        power = new Series[replicas][stages];
        for (int replica = 0; replica < replicas; replica++) {
            memory[replica] = new Series(spec.has(VidurQuirk.SAMPLED_MEANS));
            for (int stage = 0; stage < stages; stage++) {
                busy[replica][stage] = new Series(spec.has(VidurQuirk.SAMPLED_MEANS));
                mfu[replica][stage] = new Series(spec.has(VidurQuirk.SAMPLED_MEANS));
                power[replica][stage] = new Series(false);
            }
        }
    }

    /** Returns the KV blocks in use. */
    public Series memory(int replica) {
        return memory[replica];
    }

    /** Returns the signal that is 100 while the stage runs a batch and 0 otherwise. */
    public Series busy(int replica, int stage) {
        return busy[replica][stage];
    }

    /** Returns the model FLOPs utilisation. */
    public Series mfu(int replica, int stage) {
        return mfu[replica][stage];
    }

    /** Returns the mean power of all devices over the run relative to their board power; NaN if no batch ran. */
    public double meanPower() {
        double sum = 0;
        int stages = 0;
        for (Series[] replica : power) {
            for (Series stage : replica) {
                sum += DevicePower.IDLE + stage.weightedMean();
                stages++;
            }
        }
        return sum / stages;
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
        busy[batch.replica][stage].add(time, 100);
        mfu[batch.replica][stage].add(time, mfuPercent);
        power[batch.replica][stage].add(time, DevicePower.busy(mfuPercent) - DevicePower.IDLE);
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {
        busy[batch.replica][stage].add(time, 0);
        mfu[batch.replica][stage].add(time, 0);
        power[batch.replica][stage].add(time, 0);
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        skip = !window.holds(batch.id);
    }

    @Override
    public void memorySample(int replica, double time, long allocated, long total) {
        if (!skip) {
            memory[replica].add(time, allocated * 100.0 / total);
        }
        skip = false;
    }
}
