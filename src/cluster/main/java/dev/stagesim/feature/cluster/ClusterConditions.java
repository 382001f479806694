package dev.stagesim.feature.cluster;

import dev.stagesim.contract.RunConditions;
import dev.stagesim.feature.cluster.engine.ServingClusterSettings.Transfer;
import dev.stagesim.feature.cluster.instance.PoolPlan;
import dev.stagesim.feature.cluster.instance.PoolRole;
import dev.stagesim.feature.cluster.report.ClusterReport;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.report.Numbers;
import dev.stagesim.serving.ConditionText;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Describes the conditions of a cluster simulation for its report. */
record ClusterConditions(
        ClusterSimSettings settings,
        List<PoolPlan> pools,
        RequestTrace trace,
        Optional<WorkloadDocument> workload,
        String load) {
    RunConditions all() {
        return new RunConditions(
                distinct(pool -> ConditionText.model(
                        pool.replica().model(), pool.replica().hardware())),
                devices(),
                distinct(pool -> ConditionText.engine(pool.shape().engineName(), pool.replica())),
                distinct(pool -> "pool " + pool.name() + ": " + ClusterReport.instances(pool) + " × "
                        + pool.shape().words()),
                ConditionText.workload(trace.size(), trace::prefillTokens, trace::decodeTokens, workload),
                load + answers(),
                ConditionText.seeds(workload),
                ConditionText.contextLimit(settings.model(), Optional.empty(), workload),
                workload.flatMap(WorkloadDocument::truncation).stream().toList(),
                List.of(),
                notModelled());
    }

    private String answers() {
        return settings.cluster()
                .sessions()
                .map(sessions -> "; with cluster.sessions, each further turn follows the previous answer by that time")
                .orElse("");
    }

    private String devices() {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (PoolPlan pool : pools) {
            counts.merge(pool.replica().hardware().name(), pool.devices(), Integer::sum);
        }
        String scaled = pools.stream().anyMatch(pool -> pool.scaling().isPresent()) ? " at the start" : "";
        return counts.entrySet().stream()
                        .map(device -> device.getValue() + " × " + device.getKey() + scaled)
                        .collect(Collectors.joining(", "))
                + pools.stream()
                        .map(pool -> ConditionText.betweenNodes(
                                copy(pool), pool.replica().hardware()))
                        .distinct()
                        .collect(Collectors.joining())
                + transfers();
    }

    /** Returns the devices of an instance, or of all instances that share its experts. */
    private static int copy(PoolPlan pool) {
        return pool.replica()
                .shared()
                .map(experts -> experts.sharding().devices())
                .orElse(pool.shape().devices());
    }

    /** Returns rate and latency of KV transfers, after a comma; empty without pools that transfer. */
    private String transfers() {
        if (pools.stream().allMatch(pool -> pool.role() == PoolRole.BOTH)) {
            return "";
        }
        Optional<Transfer> transfer = settings.cluster().transfer();
        return ", KV transfers at "
                + transfer.flatMap(Transfer::bandwidthGbs)
                        .map(rate -> Numbers.plain(rate) + " GB/s per device (cluster.transfer.bandwidth_gbs)")
                        .orElseGet(() -> distinct(
                                pool -> ConditionText.network(pool.replica().hardware())))
                + " and " + Numbers.plain(transfer.orElse(Transfer.DEFAULT).latencyUs())
                + " µs (cluster.transfer.latency_us)";
    }

    private String distinct(Function<PoolPlan, String> text) {
        return pools.stream().map(text).distinct().collect(Collectors.joining(", "));
    }

    private List<String> notModelled() {
        List<String> effects = new ArrayList<>(List.of("host time of the router"));
        if (pools.stream().anyMatch(pool -> pool.role() != PoolRole.BOTH)) {
            effects.add("layer-by-layer transfers during prefill");
            effects.add("sliding windows in transfers: all tokens of windowed layers are transferred");
            effects.add("transfers of Mamba states");
        }
        pools.stream()
                .map(PoolPlan::replica)
                .flatMap(replica -> ConditionText.convertedCache(replica.model(), replica.hardware()).stream())
                .distinct()
                .forEach(effects::add);
        return effects;
    }
}
