package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.Timeline;
import dev.stagesim.feature.cluster.instance.Traffic;
import java.util.List;
import java.util.function.DoubleSupplier;

/** Looks at a pool at equal intervals and orders what its rule says. */
public final class PoolScaling {
    private final PoolPlan pool;
    private final ScalingSettings settings;
    private final Scaler rule;
    private final Fleet fleet;
    private final List<Instance> instances;
    private final Timeline operations;
    private final DoubleSupplier held;
    private final Traffic traffic;

    /**
     * A pool that scales.
     *
     * @param held requests that wait for an instance of its role
     */
    public PoolScaling(
            PoolPlan pool,
            ScalingSettings settings,
            Fleet fleet,
            List<Instance> instances,
            Timeline operations,
            DoubleSupplier held,
            Traffic traffic) {
        this.pool = pool;
        this.settings = settings;
        this.fleet = fleet;
        this.instances = instances.stream().filter(i -> i.pool.equals(pool)).toList();
        this.operations = operations;
        this.held = held;
        this.traffic = traffic;
        rule = settings.rule().make(pool);
        plan(rule.after(0));
    }

    private void plan(double at) {
        operations.plan(at, () -> {
            look(at);
            plan(rule.after(at));
        });
    }

    private void look(double now) {
        double total = settings.rule().metric() == ScalerSettings.Metric.KV ? 0 : held.getAsDouble();
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
        rule.sees(traffic.sums());
        long kvTokens = pool.kvTokens();
        rule.sees(instances.stream()
                .filter(one -> fleet.state(one) == Fleet.State.OPEN)
                .map(one -> new Scaler.Each(one.queuedTokens, one.held() * kvTokens))
                .toList());
        int wanted = load.limited(rule.desired(load));
        if (wanted != load.instances()) {
            fleet.scale(pool, wanted, now);
        }
    }

    private double metric(Instance instance) {
        return switch (settings.rule().metric()) {
            case REQUESTS -> instance.present;
            case WAITING -> instance.waiting();
            case KV -> instance.held();
        };
    }
}
