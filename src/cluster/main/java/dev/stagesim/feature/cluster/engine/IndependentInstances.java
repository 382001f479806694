package dev.stagesim.feature.cluster.engine;

import dev.stagesim.feature.cluster.instance.BinnedTimeSeries;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.sim.serving.replica.StepTimes;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Simulates instances separately, in parallel on all processors, if routing does not depend on their state. All
 * requests are routed first. An instance releases its memory before the next one starts.
 *
 * <p>Results are bit-identical to {@link ClusterSim}. Sums over instances are added in order of instances.
 */
public final class IndependentInstances {
    private final ClusterTopology topology;
    private final RequestTrace trace;
    private final RequestTimeline timeline;
    private final BinnedTimeSeries series;
    private final BinnedTimeSeries[] parts;
    private final double[] ends;
    /** Requests sorted by instance, and the start index of each instance. */
    private final int[] sent;

    private final int[] begins;

    IndependentInstances(
            ClusterTopology topology, RequestTrace trace, RequestTimeline timeline, BinnedTimeSeries series) {
        this.topology = topology;
        this.trace = trace;
        this.timeline = timeline;
        this.series = series;
        int size = topology.instances().size();
        parts = new BinnedTimeSeries[size];
        ends = new double[size];
        begins = new int[size + 1];
        sent = new int[trace.size()];
    }

    /** Returns true if the instances of a cluster can be simulated independently. */
    public static boolean isPossible(
            ServingClusterSettings cluster, List<PoolPlan> pools, RequestTrace trace, RoutingPolicyOverride routing) {
        return !cluster.routing().router().dependsOnLoad()
                && routing == RoutingPolicyOverride.NONE
                && !trace.hasLabels()
                && trace.closedLoop().isEmpty()
                && Stream.of(cluster.gateway(), cluster.sessions(), cluster.failures())
                        .allMatch(section -> section.isEmpty())
                && pools.stream().allMatch(IndependentInstances::isIndependent)
                && pools.stream().anyMatch(pool -> pool.replicas() > 0);
    }

    private static boolean isIndependent(PoolPlan pool) {
        return pool.role() == PoolRole.BOTH
                && pool.sessionRetentionS() == 0
                && Stream.of(pool.scaling(), pool.tiers(), pool.experts()).allMatch(section -> section.isEmpty());
    }

    /** Serves all requests. Returns the time of the last event. */
    double run() {
        send();
        int size = parts.length;
        int workers = Math.min(size, Runtime.getRuntime().availableProcessors());
        @Nullable RuntimeException[] failures = new RuntimeException[size];
        IntStream.range(0, workers).parallel().forEach(worker -> serve(worker, workers, failures));
        for (RuntimeException failure : failures) {
            if (failure != null) {
                throw failure;
            }
        }
        for (BinnedTimeSeries part : parts) {
            series.add(part);
        }
        return Arrays.stream(ends).max().orElseThrow();
    }

    private void send() {
        PoolRouter poolRouter = topology.poolRouter(PoolRole.BOTH);
        for (int request = 0; request < sent.length; request++) {
            double now = trace.arrivalSeconds(request);
            int chosen = poolRouter.decide(request, true, now);
            poolRouter.take(request, chosen, true);
            timeline.arrived[request] = now;
            timeline.routed[request] = now;
            timeline.first[request] = chosen;
            begins[chosen + 1]++;
        }
        Arrays.parallelPrefix(begins, Integer::sum);
        int[] next = begins.clone();
        for (int request = 0; request < sent.length; request++) {
            sent[next[timeline.first[request]]++] = request;
        }
    }

    private void serve(int worker, int workers, @Nullable RuntimeException[] failures) {
        // tables of step times are not thread-safe
        Map<PoolPlan, StepTimes> times = new LinkedHashMap<>();
        List<Instance> instances = topology.instances();
        for (int i = worker; i < parts.length; i += workers) {
            PoolPlan pool = instances.get(i).pool;
            StepTimes stepTimes = times.computeIfAbsent(
                    pool, plan -> new StepTimes(plan.spec(), plan.replica().times()));
            int[] requests = Arrays.copyOfRange(sent, begins[i], begins[i + 1]);
            parts[i] = series.empty();
            SingleInstanceRun run = new SingleInstanceRun(instances.get(i), trace.part(requests), stepTimes, parts[i]);
            try {
                ends[i] = run.run();
            } catch (RuntimeException failure) {
                failures[i] = failure;
                return;
            }
            run.copyResults(timeline, requests);
        }
    }
}
