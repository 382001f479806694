package dev.stagesim.feature.cluster.instance;

import dev.stagesim.feature.cluster.experts.ExpertLoad;
import dev.stagesim.feature.cluster.experts.ExpertPlan;
import dev.stagesim.feature.cluster.experts.ExpertSettings;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.kernels.ExpertTraffic;
import dev.stagesim.sim.serving.WaveCounters;
import dev.stagesim.sim.serving.cluster.ExpertBalancer.Placement;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The expert loads and placements of a pool over time. All groups of its instances have the same.
 *
 * <p>Loads are expected values: the load of a device is the sum over its expert replicas, which share the load of their
 * expert equally. The step model estimates the random variation of the experts that a step reads.
 */
public final class ExpertGroup implements ExpertTraffic {
    /** Interpolation points per doubling of tokens. */
    private static final int FINE = 8;

    /** Start of a load or of a placement. */
    public record Change(double at, String kind, double balance, int moved, double bytes, double seconds) {}

    public final PoolPlan pool;
    private final ExpertPlan plan;
    private final List<Instance> instances = new ArrayList<>();
    private final ExpertLoad.Phases phases;
    private final OperatorTimes times;
    private final List<Change> changes = new ArrayList<>();
    private final Placement[] placed;

    /** Tokens routed to each expert since the last placement, by layer and expert. */
    private final double[][] chosen;

    private final double[] points = new double[31 * FINE];
    private double[][] shares;

    /** Logarithm of the probability that a token does not use a replica, by layer and slot. */
    private final double[][] missed;

    /** True while weights move to the next placement. */
    private boolean isMoving;

    private double busiest;
    private double balance;
    private int revision;
    private double counted;
    private double balanceSum;
    private double movedBytes;
    private double movedSeconds;

    public ExpertGroup(PoolPlan pool, ExpertPlan plan) {
        this.pool = pool;
        this.plan = plan;
        phases = plan.load().phases();
        shares = phases.next();
        chosen = new double[plan.layers()][plan.experts()];
        missed = new double[plan.layers()][plan.slots()];
        placed = new Placement[plan.layers()];
        place(shares, placed);
        update();
        note(0, "start", 0, 0, 0);
        times = pool.replica()
                .times(plan.hasOwnLoad() ? this : null, plan.settings().lockstep());
    }

    /** Returns the step times with these experts. */
    public OperatorTimes times() {
        return times;
    }

    /** Starts the schedule of loads and placements. */
    public void begin(List<Instance> all, EventSchedule operations) {
        all.stream().filter(instance -> instance.pool.equals(pool)).forEach(instances::add);
        planLoad(operations);
        plan.settings().rebalancing().ifPresent(set -> planPlacement(set, set.intervalS(), operations));
    }

    private void planLoad(EventSchedule operations) {
        double at = phases.until();
        if (at < Double.POSITIVE_INFINITY) {
            operations.plan(at, () -> {
                count();
                shares = phases.next();
                update();
                note(at, "load", 0, 0, 0);
                planLoad(operations);
            });
        }
    }

    private void planPlacement(ExpertSettings.Rebalancing set, double at, EventSchedule operations) {
        operations.plan(at, () -> {
            count();
            if (!isMoving && Arrays.stream(chosen[0]).anyMatch(tokens -> tokens > 0)) {
                rebalance(set, at, operations);
            }
            planPlacement(set, at + set.intervalS(), operations);
        });
    }

    private void rebalance(ExpertSettings.Rebalancing set, double at, EventSchedule operations) {
        Placement[] next = new Placement[placed.length];
        place(chosen, next);
        for (double[] layer : chosen) {
            Arrays.fill(layer, 0);
        }
        int moved = 0;
        double seconds = 0;
        for (int layer = 0; layer < next.length; layer++) {
            int[] to = incoming(placed[layer].logical(), next[layer].logical());
            moved += Arrays.stream(to).sum();
            double maxLoad = Arrays.stream(to).max().orElse(0) * plan.expertBytes();
            seconds += maxLoad == 0 ? 0 : plan.links().allToAll(maxLoad, plan.devices()) / 1e6 / plan.stages();
        }
        int count = moved;
        double took = seconds;
        if (moved == 0) {
            return;
        }
        if (set.stall()) {
            instances.forEach(instance -> instance.stall(at, took));
            settle(next, at, count, took);
        } else {
            isMoving = true;
            operations.plan(at + took, () -> {
                isMoving = false;
                count();
                settle(next, at + took, count, took);
            });
        }
    }

    private void settle(Placement[] next, double at, int moved, double seconds) {
        System.arraycopy(next, 0, placed, 0, placed.length);
        update();
        double bytes = moved * plan.expertBytes();
        movedBytes += bytes;
        movedSeconds += seconds;
        note(at, "placement", moved, bytes, seconds);
    }

    /** Returns the number of experts that each device must receive for the next placement. */
    int[] incoming(int[] before, int[] after) {
        int slotsPerDevice = plan.slots() / plan.devices();
        int[] count = new int[plan.devices()];
        boolean[] has = new boolean[plan.experts()];
        for (int device = 0; device < count.length; device++) {
            Arrays.fill(has, false);
            for (int slot = device * slotsPerDevice; slot < (device + 1) * slotsPerDevice; slot++) {
                has[before[slot]] = true;
            }
            for (int slot = device * slotsPerDevice; slot < (device + 1) * slotsPerDevice; slot++) {
                count[device] += has[after[slot]] ? 0 : 1;
                has[after[slot]] = true;
            }
        }
        return count;
    }

    private void place(double[][] weights, Placement[] into) {
        for (int layer = 0; layer < into.length; layer++) {
            into[layer] = plan.settings().placement().place(weights[layer], plan.slots(), plan.nodes(), plan.devices());
        }
    }

    /** Adds the tokens routed since the last call. */
    private void count() {
        double now = 0;
        for (Instance instance : instances) {
            now += instance.tokens;
        }
        for (int layer = 0; layer < chosen.length; layer++) {
            for (int expert = 0; expert < plan.experts(); expert++) {
                chosen[layer][expert] += (now - counted) * shares[layer][expert];
            }
        }
        balanceSum += (now - counted) * balance;
        counted = now;
    }

    private void update() {
        busiest = 0;
        balance = 0;
        for (int layer = 0; layer < placed.length; layer++) {
            double[] visits = visits(shares[layer], plan.perToken());
            double[] loads = placed[layer].deviceLoads(visits, plan.devices());
            double maxLoad = Arrays.stream(loads).max().orElseThrow()
                    / Arrays.stream(loads).average().orElseThrow();
            busiest += maxLoad / placed.length;
            balance += 1 / maxLoad / placed.length;
            for (int slot = 0; slot < missed[layer].length; slot++) {
                int expert = placed[layer].logical()[slot];
                missed[layer][slot] = Math.log1p(-visits[expert] / placed[layer].replicas()[expert]);
            }
        }
        Arrays.fill(points, -1);
        revision++;
    }

    /** Returns the probability that a token uses each expert: proportional to its share, at most 1. */
    static double[] visits(double[] shares, int perToken) {
        double[] visits = new double[shares.length];
        double left = perToken;
        double sum = Arrays.stream(shares).sum();
        boolean isFull = true;
        while (isFull) {
            isFull = false;
            double scale = sum > 0 ? left / sum : 0;
            for (int expert = 0; expert < shares.length; expert++) {
                if (visits[expert] < 1 && shares[expert] * scale >= 1) {
                    visits[expert] = 1;
                    left--;
                    sum -= shares[expert];
                    isFull = true;
                }
            }
        }
        for (int expert = 0; expert < shares.length; expert++) {
            visits[expert] = visits[expert] < 1 && sum > 0 ? shares[expert] * left / sum : visits[expert];
        }
        return visits;
    }

    private void note(double at, String kind, int moved, double bytes, double seconds) {
        changes.add(new Change(at, kind, balance, moved, bytes, seconds));
    }

    @Override
    public double busiest() {
        return busiest;
    }

    @Override
    public double touched(int tokens) {
        double at = FINE * Math.log(Math.max(1, tokens)) / Math.log(2);
        int low = (int) Math.min(points.length - 2, Math.floor(at));
        return point(low) + (at - low) * (point(low + 1) - point(low));
    }

    private double point(int at) {
        if (points[at] < 0) {
            points[at] = read(Math.pow(2, at / (double) FINE));
        }
        return points[at];
    }

    /** Returns the expected number of experts that the busiest device reads, averaged over layers. */
    private double read(double tokens) {
        int slotsPerDevice = plan.slots() / plan.devices();
        double sum = 0;
        for (double[] layer : missed) {
            double maxLoad = 0;
            for (int device = 0; device < plan.devices(); device++) {
                double mean = 0;
                for (int slot = device * slotsPerDevice; slot < (device + 1) * slotsPerDevice; slot++) {
                    mean -= Math.expm1(tokens * layer[slot]);
                }
                double chance = Math.sqrt(2 * mean * Math.max(0, 1 - mean / slotsPerDevice) * Math.log(plan.devices()));
                maxLoad = Math.max(maxLoad, Math.min(slotsPerDevice, mean + chance));
            }
            sum += maxLoad;
        }
        return sum / missed.length;
    }

    @Override
    public int revision() {
        return revision;
    }

    /** Returns the metrics of the lockstep groups, or zeros without lockstep. */
    public WaveCounters waves() {
        return instances.stream()
                .flatMap(instance -> instance.waves().stream())
                .reduce(WaveCounters::plus)
                .orElse(WaveCounters.NONE);
    }

    public List<Change> changes() {
        return changes;
    }

    /** Returns the mean device load divided by the maximum, averaged over layers and tokens. */
    public double meanBalance() {
        count();
        return counted == 0 ? balance : balanceSum / counted;
    }

    /** Returns the weight bytes that moved. */
    public double movedBytes() {
        return movedBytes;
    }

    public double movedSeconds() {
        return movedSeconds;
    }
}
