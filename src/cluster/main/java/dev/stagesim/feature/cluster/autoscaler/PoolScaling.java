package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.feature.cluster.instance.EventSchedule;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.ThroughputCounters;
import java.util.List;
import java.util.function.DoubleSupplier;

/** Evaluates the autoscaling rule of a pool at its interval, and orders or removes instances. */
public final class PoolScaling {
    private final PoolPlan pool;
    private final ScalingSettings settings;
    private final Scaler rule;
    private final Fleet fleet;
    private final List<Instance> instances;
    private final EventSchedule operations;
    private final DoubleSupplier pending;
    private final ThroughputCounters traffic;

    /**
     * Schedules the first decision.
     *
     * @param pending number of requests that wait for an instance of the pool's role
     */
    public PoolScaling(
            PoolPlan pool,
            ScalingSettings settings,
            Fleet fleet,
            List<Instance> instances,
            EventSchedule operations,
            DoubleSupplier pending,
            ThroughputCounters traffic) {
        this.pool = pool;
        this.settings = settings;
        this.fleet = fleet;
        this.instances = instances.stream().filter(i -> i.pool.equals(pool)).toList();
        this.operations = operations;
        this.pending = pending;
        this.traffic = traffic;
        rule = settings.rule().make(pool);
        plan(rule.nextTime(0, settings.rule().intervalS()));
    }

    private void plan(double at) {
        operations.plan(at, () -> {
            look(at);
            plan(rule.nextTime(at, settings.rule().intervalS()));
        });
    }

    private void look(double now) {
        double total = settings.rule().metric() == ScalerSettings.Metric.KV ? 0 : pending.getAsDouble();
        for (Instance instance : instances) {
            total += fleet.state(instance) == Fleet.State.OPEN ? metric(instance) : 0;
        }
        Scaler.Load load = new Scaler.Load(
                now,
                fleet.count(pool, Fleet.State.OPEN),
                fleet.count(pool, Fleet.State.STARTING),
                total,
                settings.min(),
                settings.max());
        rule.observe(traffic.sums());
        long kvTokens = pool.kvTokens();
        rule.observe(instances.stream()
                .filter(instance -> fleet.state(instance) == Fleet.State.OPEN)
                .map(instance -> new Scaler.InstanceLoad(instance.queuedTokens, instance.kvUsage() * kvTokens))
                .toList());
        int wanted = load.clamped(rule.desired(load));
        if (wanted != load.instances()) {
            fleet.scale(pool, wanted, now);
        }
    }

    private double metric(Instance instance) {
        return switch (settings.rule().metric()) {
            case REQUESTS -> instance.present;
            case WAITING -> instance.waiting();
            case KV -> instance.kvUsage();
        };
    }
}
