package dev.stagesim.feature.cluster.autoscaler;

import dev.stagesim.feature.cluster.instance.BinnedTimeSeries;
import dev.stagesim.feature.cluster.instance.EventSchedule;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.sim.core.RandomStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Tracks the state of each instance: ordered, starting, open, draining, failed, restarted or removed. */
public final class Fleet {
    /** State of an instance. */
    enum State {
        OFF,
        STARTING,
        OPEN,
        DRAINING,
        FAILED
    }

    /** Callbacks into the cluster. */
    public interface Events {
        /** Reports that an instance starts or stops accepting requests. */
        void opens(Instance instance, boolean isOpen);

        /** Reports that an instance has lost its requests and its cache. */
        void fails(Instance instance);
    }

    /** A state change, with the number of instances of the pool by state after it. */
    public record Change(double at, PoolPlan pool, int instance, String kind, int starting, int open, int draining) {}

    private final List<PoolPlan> pools;
    private final List<Instance> instances;
    private final EventSchedule operations;
    private final Events events;
    private final BinnedTimeSeries series;
    private final State[] states;

    /** Number of state changes by instance. A planned event is stale if the number has changed. */
    private final int[] version;

    private final double[] since;
    private final double[] billed;
    private final double[] up;
    private final int[][] counts;
    private final double[] opened;
    private final List<Change> changes = new ArrayList<>();

    public Fleet(
            List<PoolPlan> pools,
            List<Instance> instances,
            EventSchedule operations,
            BinnedTimeSeries series,
            Events events) {
        this.pools = pools;
        this.instances = instances;
        this.operations = operations;
        this.events = events;
        this.series = series;
        int size = instances.size();
        states = new State[size];
        version = new int[size];
        since = new double[size];
        billed = new double[size];
        up = new double[size];
        opened = new double[pools.size()];
        counts = new int[pools.size()][State.values().length];
        int[] seen = new int[pools.size()];
        for (Instance instance : instances) {
            int pool = pool(instance);
            boolean isThere = seen[pool]++ < instance.pool.replicas();
            states[instance.number] = isThere ? State.OPEN : State.OFF;
            counts[pool][states[instance.number].ordinal()]++;
            if (!isThere) {
                events.opens(instance, false);
            }
        }
    }

    private int pool(Instance instance) {
        return instance.firstSignal / Instance.SIGNALS_PER_POOL;
    }

    /** Schedules the failures. */
    public void begin(Optional<FailureSettings> failures) {
        failures.ifPresent(settings -> {
            if (settings instanceof FailureSettings.Listed listed) {
                listed.times()
                        .values()
                        .forEach(down -> operations.plan(
                                down.atS(), () -> fail(instances.get(down.instance()), down.atS(), down.repairS())));
            } else if (settings instanceof FailureSettings.Random random) {
                for (Instance instance : instances) {
                    draw(instance, random, RandomStream.of(random.seed(), "failures " + instance.number), 0);
                }
            }
        });
    }

    /** Schedules the next random failure of an instance. Failures of an instance that is down are ignored. */
    private void draw(Instance instance, FailureSettings.Random random, RandomStream draws, double from) {
        double at = from - Math.log(1 - draws.nextDouble()) * random.mtbfH() * 3600;
        double repair = -Math.log(1 - draws.nextDouble()) * random.mttrS();
        operations.plan(at, () -> {
            fail(instance, at, repair);
            draw(instance, random, draws, at + repair);
        });
    }

    private void change(Instance instance, State next, String kind, double at) {
        int number = instance.number;
        int pool = pool(instance);
        account(instance, at);
        int before = counts[pool][State.OPEN.ordinal()] + counts[pool][State.DRAINING.ordinal()];
        series.add(pool * Instance.SIGNALS_PER_POOL + Instance.UP, opened[pool], at, before);
        opened[pool] = at;
        counts[pool][states[number].ordinal()]--;
        counts[pool][next.ordinal()]++;
        boolean wasOpen = states[number] == State.OPEN;
        states[number] = next;
        version[number]++;
        int[] count = counts[pool];
        changes.add(new Change(
                at,
                instance.pool,
                number,
                kind,
                count[State.STARTING.ordinal()],
                count[State.OPEN.ordinal()],
                count[State.DRAINING.ordinal()]));
        if (wasOpen != (next == State.OPEN)) {
            events.opens(instance, next == State.OPEN);
        }
    }

    private void account(Instance instance, double at) {
        int number = instance.number;
        State state = states[number];
        billed[number] += state == State.OFF ? 0 : at - since[number];
        up[number] += state == State.OPEN || state == State.DRAINING ? at - since[number] : 0;
        since[number] = at;
    }

    /** Completes all time integrals at the end of the run. */
    public void settle(double at) {
        for (int pool = 0; pool < pools.size(); pool++) {
            int count = counts[pool][State.OPEN.ordinal()] + counts[pool][State.DRAINING.ordinal()];
            series.add(pool * Instance.SIGNALS_PER_POOL + Instance.UP, opened[pool], at, count);
            opened[pool] = at;
        }
        instances.forEach(instance -> account(instance, at));
    }

    /** Orders or removes instances, so that {@code wanted} are open or starting. */
    void scale(PoolPlan pool, int wanted, double at) {
        List<Instance> poolInstances =
                instances.stream().filter(i -> i.pool.equals(pool)).toList();
        int there = count(pool, State.OPEN) + count(pool, State.STARTING);
        for (Instance instance : poolInstances) {
            if (there < wanted && states[instance.number] == State.OFF) {
                there++;
                order(instance, at);
            }
        }
        // starting instances are cancelled first, and the highest number before others
        for (State state : List.of(State.STARTING, State.OPEN)) {
            for (int i = poolInstances.size() - 1; i >= 0; i--) {
                if (there > wanted && states[poolInstances.get(i).number] == state) {
                    there--;
                    leave(poolInstances.get(i), at);
                }
            }
        }
    }

    private void order(Instance instance, double at) {
        boolean hasPeer = count(instance.pool, State.OPEN) > 0;
        change(instance, State.STARTING, "ordered", at);
        int expectedVersion = version[instance.number];
        PoolPlan.StartTimes start = instance.pool.startSeconds();
        double ready = at + (hasPeer ? start.peer() : start.store());
        operations.plan(ready, () -> {
            if (version[instance.number] == expectedVersion) {
                change(instance, State.OPEN, "open", ready);
            }
        });
    }

    private void leave(Instance instance, double at) {
        if (states[instance.number] == State.STARTING) {
            change(instance, State.OFF, "cancelled", at);
        } else {
            change(instance, State.DRAINING, "draining", at);
            emptied(instance, at);
        }
    }

    /** Removes a draining instance when its last request has left. */
    public void emptied(Instance instance, double at) {
        if (instance.present == 0 && states[instance.number] == State.DRAINING) {
            change(instance, State.OFF, "removed", at);
        }
    }

    private void fail(Instance instance, double at, double repair) {
        State state = states[instance.number];
        if (state == State.OFF || state == State.FAILED) {
            return;
        }
        change(instance, State.FAILED, "failed", at);
        events.fails(instance);
        int expectedVersion = version[instance.number];
        operations.plan(at + repair, () -> {
            if (version[instance.number] == expectedVersion) {
                if (state == State.DRAINING) {
                    change(instance, State.OFF, "removed", at + repair);
                } else {
                    order(instance, at + repair);
                }
            }
        });
    }

    int count(PoolPlan pool, State state) {
        return counts[pools.indexOf(pool)][state.ordinal()];
    }

    State state(Instance instance) {
        return states[instance.number];
    }

    /** Returns the billed seconds of an instance: from each order to the matching removal. */
    public double billed(Instance instance) {
        return billed[instance.number];
    }

    /** Returns the total time of an instance in the states open and draining, in seconds. */
    public double up(Instance instance) {
        return up[instance.number];
    }

    public List<Change> changes() {
        return changes;
    }
}
