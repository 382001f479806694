package dev.stagesim.feature.cluster.instance;

import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.WaveCounters;
import dev.stagesim.sim.serving.replica.AdmissionLimit;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.spec.MemoryPlan;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Instances that share experts and run every step together, simulated as data-parallel replicas of one engine. Forwards
 * engine events to the instance of the replica or request.
 */
public final class LockstepGroup implements ServingRecorder {
    private final RequestTimeline timeline;
    private final List<Instance> members = new ArrayList<>();
    private @Nullable ServingSimulator engine;

    public LockstepGroup(RequestTimeline timeline) {
        this.timeline = timeline;
    }

    /** Adds an instance. Returns its replica number. */
    int join(Instance instance) {
        members.add(instance);
        return members.size() - 1;
    }

    /** Returns the engine of the group, creating it for the first member. */
    ServingSimulator begin(ServingSpec spec, RequestStates states, StepTimes times) {
        if (engine == null) {
            double slowest = members.stream()
                    .mapToDouble(instance -> instance.slowness)
                    .max()
                    .orElse(1);
            members.forEach(instance -> instance.slowness = slowest);
            ServingSpec all = spec.with(spec.cluster().together(members.size()));
            engine = ServingSimulator.online(
                    all,
                    states,
                    times,
                    MemoryPlan.of(spec),
                    this::scaleStep,
                    i -> members.get(i).connector(),
                    this);
        }
        return engine;
    }

    /** Returns the instance that represents the group in the event loop. */
    Instance leader() {
        return members.get(0);
    }

    private double scaleStep(double stepSeconds) {
        double longest = 0;
        for (Instance instance : members) {
            longest = Math.max(longest, instance.scaleStep(stepSeconds));
        }
        return longest;
    }

    WaveCounters figures() {
        return engine == null ? WaveCounters.NONE : engine.waveFigures().orElseThrow();
    }

    private Instance at(int place) {
        int number = ((place & 1) == 0 ? timeline.first : timeline.second)[place >> 1];
        return members.get(number - members.get(0).number);
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCHES, Signal.MEMORY);
    }

    @Override
    public void batchScheduled(Batch batch, double time) {
        members.get(batch.replica).batchScheduled(batch, time);
    }

    @Override
    public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
        members.get(batch.replica).stageStarted(batch, stage, time, mfuPercent);
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double usualSeconds, double modelSeconds) {
        members.get(batch.replica).stageEnded(batch, stage, time, usualSeconds, modelSeconds);
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        members.get(batch.replica).batchEnded(batch, time, states);
    }

    @Override
    public void requestRestarted(int place, double time) {
        at(place).requestRestarted(place, time);
    }

    @Override
    public void requestWithdrawn(int place, double time) {
        at(place).requestWithdrawn(place, time);
    }

    @Override
    public void requestCompleted(int place, double time, RequestStates states) {
        at(place).requestCompleted(place, time, states);
    }

    @Override
    public void memorySample(int replica, double time, long allocated, long total) {
        members.get(replica).memorySample(replica, time, allocated, total);
    }

    @Override
    public void queueSample(int replica, double time, int waiting) {
        members.get(replica).queueSample(replica, time, waiting);
    }

    @Override
    public void admissionSample(int replica, double time, AdmissionLimit now) {
        members.get(replica).admissionSample(replica, time, now);
    }
}
