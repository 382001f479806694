package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.feature.cluster.instance.InstancePerformance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.ThroughputCounters;
import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * NVIDIA Dynamo's load-based planner. Each decision adds or removes at most one instance, based on queued prompts and
 * memory, or on latencies predicted from them.
 */
public final class LoadPlanner implements Scaler {
    /** Objective of the planner. */
    enum Objective {
        SLA, // TTFT and TPOT as the step model predicts them.
        THROUGHPUT, // Full queues and full memory.
        LATENCY // Short queues and much free memory.
    }

    @FormerKeys({"aim=objective", "first_ms=ttft_target_ms", "gap_ms=tpot_target_ms"})
    @Variant("sla_load | NVIDIA Dynamo's load-based planner: adds or removes at most one instance per"
            + " decision, based on queued prompts and memory.")
    public record Settings(
            @Key("Objective. | sla") Objective objective,
            @Key("Target TTFT. | 500 | ms | 0.001..1000000000")
                    @OnlyIf("objective = sla | this objective uses queues and memory | set objective=sla")
                    double ttftTargetMs,
            @Key("Target TPOT. | 50 | ms | 0.001..1000000000")
                    @OnlyIf("objective = sla | this objective uses queues and memory | set objective=sla")
                    double tpotTargetMs,
            @Key("Share of the targets that the remaining instances must stay below for one to be removed. | 0.8"
                            + " | 0..1")
                    @OnlyIf("objective = sla | this objective uses queues and memory | set objective=sla")
                    double sensitivity,
            @Key("Interval between decisions. | 5 | s | 0.1..86400") double intervalS,
            @Key("Throughput-based planner that sets the minimum number of instances; null for none. | null")
                    Optional<Sla.Settings> floor)
            implements ScalerSettings {
        @Override
        public Scaler make() {
            throw new IllegalStateException("the planner needs the profile of a pool");
        }

        @Override
        public Scaler make(PoolPlan pool) {
            return new LoadPlanner(
                    this,
                    pool.role(),
                    InstancePerformance.of(pool),
                    pool.kvTokens(),
                    pool.spec().maxTokens());
        }
    }

    /** Returns an error if the interval of the floor is not a multiple of the planner's; empty otherwise. */
    public static Optional<String> problem(Settings settings) {
        double times =
                settings.floor().map(Sla.Settings::intervalS).orElse(settings.intervalS()) / settings.intervalS();
        return times > 0.5 && Math.abs(times - Math.rint(times)) < 1e-9
                ? Optional.empty()
                : Optional.of("is " + settings.floor().orElseThrow().intervalS() + ", not a multiple of the rule's"
                        + " interval_s, " + settings.intervalS());
    }

    private final Settings settings;
    private final PoolRole role;
    private final InstancePerformance profile;
    private final double memory;
    private final double longest;
    private final @Nullable Sla floor;
    private ThroughputCounters.Sums traffic = ThroughputCounters.Sums.NONE;
    private List<InstanceLoad> instances = List.of();
    private double nextFloor;
    private int minInstances;

    LoadPlanner(Settings settings, PoolRole role, InstancePerformance profile, double memory, double longest) {
        this.settings = settings;
        this.role = role;
        this.profile = profile;
        this.memory = memory;
        this.longest = longest;
        floor = settings.floor()
                .map(set -> new Sla(set, role == PoolRole.PREFILL, profile))
                .orElse(null);
        nextFloor = settings.floor().map(Sla.Settings::intervalS).orElse(Double.POSITIVE_INFINITY);
    }

    @Override
    public void observe(ThroughputCounters.Sums sums) {
        traffic = sums;
    }

    @Override
    public void observe(List<InstanceLoad> ready) {
        instances = ready;
    }

    @Override
    public int desired(Load load) {
        if (floor != null
                && load.now()
                        >= nextFloor - settings.intervalS() / 2) { // tolerance: times are sums with rounding errors
            floor.observe(traffic);
            minInstances = floor.floor(load, minInstances);
            nextFloor += settings.floor().orElseThrow().intervalS();
        }
        if (load.starting() > 0 || instances.isEmpty()) {
            return load.instances(); // ordered instances must start first
        }
        return Math.max(instances.size() + change(), minInstances);
    }

    /** Returns 1, -1 or 0 further instances. */
    private int change() {
        if (settings.objective() != Objective.SLA) {
            return role == PoolRole.PREFILL ? byQueue() : byMemory();
        }
        if (traffic.arrived() == 0 || traffic.completed() == 0) {
            return 0;
        }
        int prompts = role == PoolRole.DECODE ? byTpot() : byTtft();
        int outputs = role == PoolRole.PREFILL ? prompts : byTpot();
        return prompts > 0 || outputs > 0 ? 1 : prompts < 0 && outputs < 0 ? -1 : 0;
    }

    private int byQueue() {
        boolean isLatency = settings.objective() == Objective.LATENCY;
        double up = isLatency ? 0.1 : 1;
        double down = isLatency ? Double.MIN_VALUE : 0.1;
        if (instances.stream().anyMatch(instance -> instance.queuedTokens() / longest >= up)) {
            return 1;
        }
        return removeIf(instances.stream().allMatch(instance -> instance.queuedTokens() / longest < down));
    }

    private int byMemory() {
        boolean isLatency = settings.objective() == Objective.LATENCY;
        if (instances.stream().anyMatch(instance -> instance.tokens() / memory > (isLatency ? 0.4 : 1))) {
            return 1;
        }
        return removeIf(instances.stream().allMatch(instance -> instance.tokens() / memory < (isLatency ? 0.1 : 0.6)));
    }

    private int removeIf(boolean isEnough) {
        return instances.size() > 1 && isEnough ? -1 : 0;
    }

    /** Returns the growth factor of the load per instance if one is removed. */
    private double growthFactor() {
        return instances.size() / (instances.size() - 1.0);
    }

    private int byTtft() {
        int prompt = (int) Math.max(1, Math.round((double) traffic.promptTokens() / traffic.arrived()));
        double promptSeconds = profile.promptSeconds(prompt);
        double rate = profile.promptRate(prompt);
        double target = settings.ttftTargetMs() / 1e3;
        if (instances.stream().allMatch(instance -> instance.queuedTokens() / rate + promptSeconds > target)) {
            return 1;
        }
        double room = (target - promptSeconds) * settings.sensitivity();
        return removeIf(
                instances.stream().allMatch(instance -> instance.queuedTokens() * growthFactor() / rate < room));
    }

    private int byTpot() {
        double prompt = (double) traffic.promptTokens() / traffic.arrived();
        int context = (int) Math.max(1, Math.round(prompt + traffic.outputTokens() / (2.0 * traffic.completed())));
        double target = settings.tpotTargetMs() / 1e3;
        if (instances.stream().allMatch(instance -> tpot(instance.tokens(), context) > target)) {
            return 1;
        }
        return removeIf(instances.stream()
                .allMatch(instance -> instance.tokens() * growthFactor() < memory
                        && tpot(instance.tokens() * growthFactor(), context) < target * settings.sensitivity()));
    }

    private double tpot(double tokens, int context) {
        return profile.tpotSeconds((int) Math.max(1, Math.ceil(tokens / context)), context);
    }
}
