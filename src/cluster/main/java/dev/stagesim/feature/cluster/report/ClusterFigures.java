package dev.stagesim.feature.cluster.report;

import static dev.stagesim.model.Nanos.NS_PER_MS;

import dev.stagesim.feature.cluster.autoscaler.ScalingSettings;
import dev.stagesim.feature.cluster.cache.Prefetch;
import dev.stagesim.feature.cluster.cache.Tiers;
import dev.stagesim.feature.cluster.engine.ClusterSim;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings;
import dev.stagesim.feature.cluster.instance.Instance;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.RequestTimeline;
import dev.stagesim.feature.cluster.report.LatencyBreakdown.Part;
import dev.stagesim.sim.serving.metrics.SustainedLoad;
import dev.stagesim.sim.serving.metrics.SustainedLoad.Verdict;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.workload.ClosedLoop;
import dev.stagesim.stats.Quantiles;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.IntPredicate;
import java.util.function.IntToDoubleFunction;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Metrics of a simulated cluster. */
public final class ClusterFigures {
    private static final int[] QUANTILES = {50, 90, 99};

    public final RequestTrace trace;
    public final RequestTimeline timeline;
    public final List<LatencyBreakdown> parts;
    public final List<Instance> instances;
    public final List<PoolPlan> pools;
    public final ClusterSim sim;
    public final double seconds;
    final double lastArrival;
    public final long handed;
    final Costs costs;

    /** Lowest target of the pools with scaling for the P99 TTFT; infinite without scaling. */
    final double ttftTargetMs;

    /** Times of failures; empty without failures. */
    private final Optional<FailureReport> failures;

    private final int warmUp;

    public ClusterFigures(ClusterSim sim, List<PoolPlan> pools, RequestTrace trace, ServingClusterSettings cluster) {
        this.sim = sim;
        this.trace = trace;
        this.pools = pools;
        warmUp = trace.closedLoop().map(ClosedLoop::warmUpRequests).orElse(0);
        ttftTargetMs = cluster.pools().values().stream()
                .flatMap(pool -> pool.scaling().stream())
                .mapToDouble(ScalingSettings::ttftTargetMs)
                .min()
                .orElse(Double.POSITIVE_INFINITY);
        costs = new Costs(this, cluster.idlePower(), cluster.carbonGPerKwh());
        timeline = sim.timeline();
        instances = sim.instances();
        seconds = sim.seconds();
        parts = LatencyBreakdown.all(timeline);
        lastArrival = Arrays.stream(timeline.arrived)
                .filter(at -> !Double.isNaN(at))
                .max()
                .orElse(0);
        failures = cluster.failures().map(kind -> new FailureReport(kind, this));
        handed = IntStream.range(0, timeline.size())
                .filter(timeline::isHandedOff)
                .count();
    }

    /** Returns the report of failures; empty without failures. */
    public Optional<FailureReport> failures() {
        return failures;
    }

    /** Returns whether the load was sustained. */
    public Verdict load() {
        return trace.closedLoop().isPresent() ? Verdict.AT_ONCE : sustained().verdict();
    }

    /** Returns the load without regard to a closed loop. */
    public SustainedLoad sustained() {
        return SustainedLoad.of(timeline, seconds, size());
    }

    /** Returns the number of first requests that metrics exclude. */
    int warmUp() {
        return warmUp;
    }

    /** Returns true if a request completed and does not belong to the warm-up. */
    private boolean counts(int request) {
        return request >= warmUp && timeline.isServed(request);
    }

    /** Returns the time of the first arrival after the warm-up, in seconds. */
    private double begin() {
        return trace.closedLoop().isPresent()
                ? Arrays.stream(timeline.arrived, warmUp, size())
                        .filter(at -> !Double.isNaN(at))
                        .min()
                        .orElse(0)
                : trace.arrivalSeconds(0);
    }

    public int size() {
        return timeline.size();
    }

    /** Returns the time per output token after the first, or NaN for a single output token. */
    public double tpotNs(int request) {
        int outputs = trace.decodeTokens(request);
        LatencyBreakdown part = parts.get(request);
        return outputs < 2 || !counts(request) ? Double.NaN : (double) (part.e2e() - part.ttft()) / (outputs - 1);
    }

    double[] sortedMs(ToLongFunction<LatencyBreakdown> metric) {
        return sortedMs(this::counts, metric);
    }

    private double[] sortedMs(IntPredicate which, ToLongFunction<LatencyBreakdown> metric) {
        double[] values = IntStream.range(0, size())
                .filter(which)
                .mapToDouble(request -> metric.applyAsLong(parts.get(request)) / NS_PER_MS)
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

    /** Returns the arrival rate in requests per second; infinite in a closed loop. */
    double offered() {
        double span = lastArrival - begin();
        return span > 0 && trace.closedLoop().isEmpty() ? (size() - 1) / span : Double.POSITIVE_INFINITY;
    }

    /** Returns the time from the first arrival after the warm-up to the last event, in seconds. */
    double measuredSeconds() {
        return seconds - begin();
    }

    /** Returns the rate of completions in the measured time, in requests per second. */
    double served() {
        return measured(request -> 1, timeline.arrived) / measuredSeconds();
    }

    public List<Instance> of(PoolPlan pool) {
        return instances.stream().filter(instance -> instance.pool.equals(pool)).toList();
    }

    public double busy(PoolPlan pool) {
        return of(pool).stream().mapToDouble(i -> i.busy).sum() / up(pool);
    }

    double memoryWaitShare(PoolPlan pool) {
        return of(pool).stream().mapToDouble(i -> i.memoryWaitSeconds).sum() / up(pool);
    }

    /** Returns the number of requests with an outcome. */
    public long count(RequestTimeline.Outcome outcome) {
        return Arrays.stream(timeline.outcome).filter(ended -> ended == outcome).count();
    }

    /** Returns the output tokens of completed requests, including those of warm-up requests in the measured time. */
    public double outputTokens() {
        return measured(trace::decodeTokens, timeline.firstToken);
    }

    /** Returns the sum over completed requests; a warm-up request counts with its share of time after the warm-up. */
    private double measured(IntToDoubleFunction amount, double[] from) {
        double begin = begin();
        return IntStream.range(0, size())
                .filter(timeline::isServed)
                .mapToDouble(i ->
                        amount.applyAsDouble(i) * (counts(i) ? 1 : shareAfter(begin, from[i], timeline.completed[i])))
                .sum();
    }

    private static double shareAfter(double begin, double from, double to) {
        return to <= begin ? 0 : from >= begin ? 1 : (to - begin) / (to - from);
    }

    /** Returns the mean of each part over the completed requests, in ms. */
    double[] meanPartsMs() {
        long[] sums = new long[Part.values().length];
        long served = 0;
        for (int i = 0; i < size(); i++) {
            if (counts(i)) {
                long[] values = parts.get(i).values();
                served++;
                for (int part = 0; part < sums.length; part++) {
                    sums[part] += values[part];
                }
            }
        }
        double count = Math.max(1, served);
        return Arrays.stream(sums).mapToDouble(sum -> sum / count / NS_PER_MS).toArray();
    }

    /** Returns the mean number of running instances of a pool. */
    double meanUp(PoolPlan pool) {
        return up(pool) / seconds;
    }

    /** Returns the total time in seconds during which instances of a pool were running. */
    private double up(PoolPlan pool) {
        return Math.max(1e-9, of(pool).stream().mapToDouble(sim.fleet()::up).sum());
    }

    /** Returns the mean number of running instances of a pool in a bin, or 1 if there were none. */
    double up(int pool, int bin) {
        PoolPlan plan = pools.get(pool);
        boolean isFixed = plan.scaling().isEmpty() && sim.fleet().changes().isEmpty();
        double mean =
                isFixed ? plan.replicas() : sim.series().mean(pool * Instance.SIGNALS_PER_POOL + Instance.UP, bin);
        return mean > 0 ? mean : 1;
    }

    double peakKvUsage(PoolPlan pool) {
        return of(pool).stream().mapToDouble(i -> i.peakKvUsage).max().orElse(0);
    }

    int devices() {
        return pools.stream().mapToInt(PoolPlan::devices).sum();
    }

    /** Returns true if a rule changes the number of instances of a pool. */
    boolean isScaled() {
        return pools.stream().anyMatch(pool -> pool.scaling().isPresent());
    }

    /** Returns the mean over the run of the number of devices of running instances. */
    double meanDevices() {
        return pools.stream()
                .mapToDouble(pool -> meanUp(pool) * pool.shape().devices())
                .sum();
    }

    /** Returns the mean over the run of the number of billed devices; starting instances count from their order. */
    double meanBilledDevices() {
        return pools.stream()
                .mapToDouble(pool -> costs.hours(pool)
                        * Costs.SECONDS_PER_HOUR
                        / seconds
                        * pool.shape().devices())
                .sum();
    }

    /** Returns the share of prompt tokens that were cached. */
    public double hitShare() {
        double promptTokens = 0;
        double hits = 0;
        for (int i = 0; i < size(); i++) {
            promptTokens += counts(i) ? trace.prefillTokens(i) : 0;
            hits += counts(i) ? timeline.hits[i] : 0;
        }
        return promptTokens == 0 ? 0 : hits / promptTokens;
    }

    /** Returns the utilisation of the busiest link at full bandwidth, or NaN if transfers do not share links. */
    double linkShare() {
        if (!sim.handoffs().sharesLinks()) {
            return Double.NaN;
        }
        double[] out = new double[instances.size()];
        double[] in = new double[instances.size()];
        for (int i = 0; i < size(); i++) {
            if (timeline.isHandedOff(i)) {
                out[timeline.first[i]] += sim.handoffs().bytes(i);
                in[timeline.second[i]] += sim.handoffs().bytes(i);
            }
        }
        double highest = sim.handoffs().busiestSeconds() / seconds;
        for (int i = 0; i < out.length; i++) {
            double bandwidth = instances.get(i).pool.linkBytesPerS();
            highest = bandwidth > 0 ? Math.max(highest, Math.max(out[i], in[i]) / bandwidth / seconds) : highest;
        }
        return highest;
    }

    private void load(Map<String, Double> figures) {
        if (Double.isFinite(offered())) {
            boolean isTooShort = load() == Verdict.TOO_SHORT;
            figures.put(isTooShort ? "too_short" : "saturated", isTooShort || load() == Verdict.SATURATED ? 1.0 : 0.0);
        } else if (trace.closedLoop().isEmpty()) {
            figures.put("makespan_s", measuredSeconds());
        }
    }

    /** Returns all metrics by name. */
    public Map<String, Double> all() {
        Map<String, Double> figures = new LinkedHashMap<>();
        figures.put("requests", (double) size());
        if (isScaled()) {
            figures.put("mean_devices", meanDevices());
            figures.put("mean_billed_devices", meanBilledDevices());
        } else {
            figures.put("devices", (double) devices());
        }
        quantiles(figures, "ttft", sortedMs(LatencyBreakdown::ttft));
        quantiles(figures, "tpot", tpotMs());
        quantiles(figures, "e2e", sortedMs(LatencyBreakdown::e2e));
        figures.put("offered_requests_per_s", offered());
        figures.put("throughput_requests_per_s", served());
        figures.put("throughput_tokens_per_s", outputTokens() / measuredSeconds());
        load(figures);
        figures.put("cached_prompt_share", hitShare());
        figures.put(
                "preemptions",
                instances.stream().mapToDouble(i -> i.preemptions).sum());
        for (PoolPlan pool : pools) {
            figures.put(pool.name() + "_busy_share", busy(pool));
            figures.put(pool.name() + "_kv_peak_share", peakKvUsage(pool));
        }
        for (RequestTimeline.Outcome outcome : RequestTimeline.Outcome.values()) {
            if (outcome != RequestTimeline.Outcome.COMPLETED && count(outcome) > 0) {
                figures.put("requests_" + outcome.word(), (double) count(outcome));
            }
        }
        TenantReport.figures(this, figures);
        if (sim.lostTokens() > 0) {
            figures.put("lost_tokens", (double) sim.lostTokens());
        }
        costs.addTo(figures);
        reads(figures);
        prefetched(figures);
        retained(figures);
        kvEvents().figures(figures);
        experts().figures(figures);
        transfers(figures);
        return figures;
    }

    private void transfers(Map<String, Double> figures) {
        if (handed == 0) {
            return;
        }
        figures.put("split_requests", (double) handed);
        figures.put("transferred_gb", sim.handoffs().bytes() / 1e9);
        quantiles(figures, "transfer", sortedMs(timeline::isHandedOff, Part.TRANSFER));
        quantiles(figures, "transfer_wait", sortedMs(timeline::isHandedOff, Part.TRANSFER_WAIT));
        figures.put("max_concurrent_transfers", sim.handoffs().maxConcurrent());
        if (sim.handoffs().sharesLinks()) {
            figures.put("busiest_link_share", linkShare());
        }
    }

    /** Adds adapter loads, and the share of prompt tokens read from each lower tier. */
    private void reads(Map<String, Double> figures) {
        if (pools.stream().anyMatch(pool -> pool.replica().adapterSlots() > 0)) {
            figures.put(
                    "adapter_loads",
                    instances.stream().mapToDouble(Instance::adapterLoads).sum());
        }
        for (int tier = 0; tier < Tiers.NAMES.size(); tier++) {
            int place = tier;
            double read = instances.stream()
                    .mapToDouble(instance -> instance.tiers == null ? 0 : instance.tiers.read[place])
                    .sum();
            if (instances.stream().anyMatch(instance -> instance.tiers != null && instance.tiers.has(place))) {
                figures.put(Tiers.NAMES.get(tier) + "_read_share", read / promptTokens());
            }
        }
    }

    private double promptTokens() {
        return IntStream.range(0, size()).mapToDouble(trace::prefillTokens).sum();
    }

    /** Adds the share of prefetched tokens, their hit share and the read time that they saved. */
    private void prefetched(Map<String, Double> figures) {
        List<Prefetch> all = instances.stream()
                .flatMap(instance ->
                        instance.tiers == null ? Stream.empty() : Stream.ofNullable(instance.tiers.prefetch))
                .toList();
        if (!all.isEmpty()) {
            double prefetched = all.stream()
                    .mapToDouble(prefetch -> prefetch.prefetchedTokens)
                    .sum();
            double used =
                    all.stream().mapToDouble(prefetch -> prefetch.usedTokens).sum();
            figures.put("prefetched_share", prefetched / promptTokens());
            figures.put("prefetch_hit_share", prefetched == 0 ? 0 : used / prefetched);
            figures.put(
                    "prefetch_hidden_s",
                    all.stream().mapToDouble(prefetch -> prefetch.hiddenSeconds).sum());
        }
    }

    /** Adds the share of the caches that is retained for sessions, and the hits on retained blocks. */
    private void retained(Map<String, Double> figures) {
        double up = 0;
        double retained = 0;
        double peak = 0;
        double saved = 0;
        for (Instance instance : instances) {
            if (instance.retention != null) {
                instance.retention.held(0);
                up += sim.fleet().up(instance);
                retained += instance.retention.blockSeconds / instance.blocks;
                peak = Math.max(peak, (double) instance.retention.peakBlocks / instance.blocks);
                saved += instance.retention.saved * Math.rint((double) instance.pool.kvTokens() / instance.blocks);
            }
        }
        if (up > 0) {
            figures.put("retained_mean_share", retained / up);
            figures.put("retained_peak_share", peak);
            figures.put("retained_hit_share", saved / promptTokens());
        }
    }

    /** Adds percentiles of sorted times. */
    static void quantiles(Map<String, Double> into, String metric, double[] sorted) {
        for (int q : QUANTILES) {
            into.put(
                    metric + "_p" + q + "_ms", sorted.length == 0 ? Double.NaN : Quantiles.ofSorted(sorted, q / 100.0));
        }
    }

    KvEventReport kvEvents() {
        return new KvEventReport(sim.kvEvents(), timeline, trace);
    }

    ExpertReport experts() {
        return new ExpertReport(sim.experts());
    }
}
