package dev.stagesim.feature.cluster;

import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.stats.Quantiles;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.IntPredicate;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;

/** What a simulated cluster comes to. */
final class ClusterFigures {
    private static final double NS_PER_MS = 1e6;
    private static final int[] QUANTILES = {50, 90, 99};

    final RequestTrace trace;
    final Life life;
    final List<Parts> parts = new ArrayList<>();
    final List<Instance> instances;
    final List<PoolPlan> pools;
    final ClusterSim sim;
    final double seconds;
    final double lastArrival;

    ClusterFigures(ClusterSim sim, List<PoolPlan> pools, RequestTrace trace) {
        this.sim = sim;
        this.trace = trace;
        this.pools = pools;
        life = sim.life();
        instances = sim.instances();
        seconds = sim.seconds();
        for (int i = 0; i < life.size(); i++) {
            parts.add(Parts.of(life, i));
        }
        lastArrival = trace.arrivalSeconds(trace.size() - 1);
    }

    int size() {
        return life.size();
    }

    /** Time of an output token after the first; not a number where there is one. */
    double tpotNs(int request) {
        int outputs = trace.decodeTokens(request);
        Parts part = parts.get(request);
        return outputs < 2 ? Double.NaN : (double) (part.e2e() - part.ttft()) / (outputs - 1);
    }

    double[] sortedMs(ToLongFunction<Parts> what) {
        return sortedMs(request -> true, what);
    }

    private double[] sortedMs(IntPredicate which, ToLongFunction<Parts> what) {
        double[] values = IntStream.range(0, size())
                .filter(which)
                .mapToDouble(request -> what.applyAsLong(parts.get(request)) / NS_PER_MS)
                .toArray();
        Arrays.sort(values);
        return values;
    }

    private double[] tpotMs() {
        double[] all = new double[size()];
        int count = 0;
        for (int i = 0; i < all.length; i++) {
            double ns = tpotNs(i);
            if (!Double.isNaN(ns)) {
                all[count++] = ns / NS_PER_MS;
            }
        }
        double[] values = Arrays.copyOf(all, count);
        Arrays.sort(values);
        return values;
    }

    /** Requests a second that came. */
    double offered() {
        double span = lastArrival - trace.arrivalSeconds(0);
        return span > 0 ? (size() - 1) / span : Double.POSITIVE_INFINITY;
    }

    /** Requests a second that were served up to the last arrival. */
    double served() {
        double span = lastArrival - trace.arrivalSeconds(0);
        return Arrays.stream(life.completed).filter(end -> end <= lastArrival).count() / span;
    }

    List<Instance> of(PoolPlan pool) {
        return instances.stream().filter(instance -> instance.pool.equals(pool)).toList();
    }

    double busy(PoolPlan pool) {
        return of(pool).stream().mapToDouble(i -> i.busy).sum() / seconds / pool.replicas();
    }

    double lacked(PoolPlan pool) {
        return of(pool).stream().mapToDouble(i -> i.lackedMemory).sum() / seconds / pool.replicas();
    }

    double held(PoolPlan pool) {
        return of(pool).stream().mapToDouble(i -> i.heldPeak).max().orElse(0);
    }

    int devices() {
        return pools.stream().mapToInt(PoolPlan::devices).sum();
    }

    long handed() {
        int count = 0;
        for (int i = 0; i < size(); i++) {
            count += life.isHanded(i) ? 1 : 0;
        }
        return count;
    }

    /** Share of prompt tokens that caches had. */
    double hitShare() {
        double asked = 0;
        double hits = 0;
        for (int i = 0; i < size(); i++) {
            asked += trace.prefillTokens(i);
            hits += life.hits[i];
        }
        return hits / asked;
    }

    /**
     * Share of its time that the busiest link of a side would need at full bandwidth for all its bytes; not a number where
     * every transfer has a link to itself.
     */
    double linkShare() {
        if (!sim.sharesLinks()) {
            return Double.NaN;
        }
        double[] out = new double[instances.size()];
        double[] in = new double[instances.size()];
        for (int i = 0; i < size(); i++) {
            if (life.isHanded(i)) {
                out[life.first[i]] += sim.bytes(i);
                in[life.second[i]] += sim.bytes(i);
            }
        }
        double most = 0;
        for (int i = 0; i < out.length; i++) {
            double bandwidth = instances.get(i).pool.linkBytesPerS();
            most = bandwidth > 0 ? Math.max(most, Math.max(out[i], in[i]) / bandwidth / seconds) : most;
        }
        return most;
    }

    /** All figures by name. */
    Map<String, Double> all() {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("requests", (double) size());
        figures.put("devices", (double) devices());
        quantiles(figures, "ttft", sortedMs(Parts::ttft));
        quantiles(figures, "tpot", tpotMs());
        quantiles(figures, "e2e", sortedMs(Parts::e2e));
        figures.put("offered_requests_per_s", offered());
        figures.put("served_requests_per_s", served());
        double outputs = 0;
        for (int i = 0; i < size(); i++) {
            outputs += trace.decodeTokens(i);
        }
        figures.put("output_tokens_per_s", outputs / seconds);
        figures.put("cached_prompt_share", hitShare());
        figures.put(
                "preemptions",
                instances.stream().mapToDouble(i -> i.preemptions).sum());
        for (PoolPlan pool : pools) {
            figures.put(pool.name() + "_busy_share", busy(pool));
            figures.put(pool.name() + "_kv_peak_share", held(pool));
        }
        if (handed() > 0) {
            figures.put("split_requests", (double) handed());
            figures.put("moved_gb", sim.bytes() / 1e9);
            quantiles(figures, "transfer", sortedMs(life::isHanded, Parts::transfer));
            quantiles(figures, "transfer_wait", sortedMs(life::isHanded, Parts::transferWait));
            figures.put("transfers_at_once", sim.mostTransfers());
            if (sim.sharesLinks()) {
                figures.put("busiest_link_share", linkShare());
            }
        }
        return figures;
    }

    private static void quantiles(Map<String, Double> into, String what, double[] sorted) {
        for (int q : QUANTILES) {
            into.put(what + "_p" + q + "_ms", sorted.length == 0 ? Double.NaN : Quantiles.ofSorted(sorted, q / 100.0));
        }
    }
}
