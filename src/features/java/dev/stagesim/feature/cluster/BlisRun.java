package dev.stagesim.feature.cluster;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.model.ModelCard;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.RequestTrace;
import dev.stagesim.sim.serving.cluster.BlisCluster;
import dev.stagesim.sim.serving.cluster.BlisConfig;
import dev.stagesim.sim.serving.cluster.BlisInstance;
import dev.stagesim.sim.serving.cluster.BlisOutcome;
import dev.stagesim.sim.serving.cluster.BlisRequest;
import dev.stagesim.sim.serving.cluster.SplitRequest;
import dev.stagesim.sim.serving.request.Tokens;
import java.io.IOException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.ToDoubleFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/** Requests on BLIS, with what it tells of them. */
final class BlisRun {
    private static final double US = 1e6;
    private static final double MS = 1e6;
    private static final long NS = 1000;

    private final RequestTrace trace;
    private final List<PoolPlan> pools;
    private final BlisOutcome outcome;
    private final List<ClusterCompat.Served> served;

    BlisRun(BlisConfig config, RequestTrace trace, List<PoolPlan> pools) {
        this.trace = trace;
        this.pools = pools;
        outcome = BlisCluster.run(
                config, IntStream.range(0, trace.size()).mapToObj(this::request).toList(), Optional.empty());
        Set<String> unserved = outcome.splits().stream()
                .filter(split -> !split.isServed())
                .map(SplitRequest::id)
                .collect(Collectors.toCollection(TreeSet::new));
        served = IntStream.range(0, trace.size())
                .mapToObj(id -> served(id, unserved))
                .toList();
    }

    private BlisRequest.Spec request(int id) {
        int prompt = trace.prefillTokens(id);
        long[] all = tokens(trace.tokens(id), 0, prompt);
        long[] output = tokens(trace.tokens(id), prompt, trace.decodeTokens(id));
        long arrival = Parts.ns(trace.arrivalSeconds(id)) / NS;
        return new BlisRequest.Spec(
                "request_" + id, arrival, all, output, output.length, "", "", "", "", 0, 0, 0, false);
    }

    private static long[] tokens(Tokens all, int from, int count) {
        return IntStream.range(from, from + count).mapToLong(all::at).toArray();
    }

    /** What came of a request, given the split ones that have no output. */
    private ClusterCompat.Served served(int id, Set<String> unserved) {
        BlisRequest request = outcome.requests().get(id);
        boolean isLost = request.ttft().isEmpty()
                || request.e2e().isEmpty()
                || unserved.contains(request.spec().id());
        if (isLost) {
            return new ClusterCompat.Served(RequestStatus.FAILED, 0, 0, Double.NaN);
        }
        return new ClusterCompat.Served(
                RequestStatus.COMPLETED,
                request.ttft().get() * NS,
                // of some split requests it reports an end before their first token
                Math.max(request.ttft().get(), request.e2e().get()) * NS,
                trace.decodeTokens(id) < 2
                        ? Double.NaN
                        : request.meanGap().map(gap -> gap * NS).orElse(Double.NaN));
    }

    private double[] sortedMs(ToDoubleFunction<ClusterCompat.Served> ns) {
        return served.stream()
                .filter(ClusterCompat.Served::isDone)
                .mapToDouble(one -> ns.applyAsDouble(one) / MS)
                .filter(value -> !Double.isNaN(value))
                .sorted()
                .toArray();
    }

    Map<String, Double> figures() {
        Map<String, Double> all = new LinkedHashMap<>();
        all.put("requests", (double) trace.size());
        double done = served.stream().filter(ClusterCompat.Served::isDone).count();
        all.put("requests_completed", done);
        all.put("requests_failed", trace.size() - done);
        ClusterFigures.quantiles(all, "ttft", sortedMs(ClusterCompat.Served::ttftNs));
        ClusterFigures.quantiles(all, "tpot", sortedMs(ClusterCompat.Served::tpotNs));
        ClusterFigures.quantiles(all, "e2e", sortedMs(ClusterCompat.Served::e2eNs));
        long end =
                outcome.instances().stream().mapToLong(BlisInstance::end).max().orElse(0);
        long output = outcome.instances().stream()
                .mapToLong(BlisInstance::outputTokens)
                .sum();
        all.put("output_tokens_per_s", end == 0 ? 0 : output * US / end);
        all.put("instances", (double) outcome.instances().size());
        all.put("preemptions", (double)
                outcome.instances().stream().mapToInt(BlisInstance::preemptions).sum());
        all.put("requests_split", (double) outcome.splits().size());
        BlisOutcome.Counts counts = outcome.counts();
        all.put("requests_refused", (double)
                (counts.refusedAdmissions() + counts.refusedRoutings() + counts.gatewayRefused()));
        all.put("transfers_dropped", (double) counts.droppedTransfers());
        return all;
    }

    /** Writes the requests, the figures and the report. */
    void write(ModelCard model, ServingInput input, Path out, Map<String, Double> figures) throws IOException {
        ClusterCompat.requests(input, out, served::get);
        ClusterWriter.summary(out, figures);
        int instances = pools.stream().mapToInt(PoolPlan::replicas).sum();
        String missing =
                "Steps take what compat.step_time says, not what BLIS's latency models say. Adapters, the CPU tier,"
                        + " scaling, classes, tenants and conversations in closed loop, which the kernel has, cannot be set here.";
        ClusterCompat.report("BLIS", model.name(), instances, figures, missing).write(out);
    }

    BlisOutcome outcome() {
        return outcome;
    }
}
