package dev.stagesim.feature.cluster.cache;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The section {@code cluster.pools.NAME.tiers}: KV cache tiers below the device memory. */
@FormerKeys("retain_s=session_retention_s")
public record Tiers(
        @Key("Host memory of each instance; null for no such tier. | null") Optional<Tier> host,
        @Key("Disks of each instance; null for no such tier. | null") Optional<Tier> ssd,
        @Key("Store that the instances of the pool share; null for no such tier. | null") Optional<Tier> remote,
        @Key("Time for which blocks of an unfinished session are evicted last. | 0 | s |" + " 0..1000000")
                double sessionRetentionS,
        @Key("Minimum tokens in lower tiers for a prefetch to host memory while a request waits in the queue of"
                        + " its engine; null to disable prefetching. | null | tokens | 1..1000000000")
                Optional<Integer> prefetchTokens) {
    /** Names of the tiers, fastest first. */
    public static final List<String> NAMES = List.of("host", "ssd", "remote");

    /** The section {@code cluster.pools.NAME.tiers.TIER}. */
    public record Tier(
            @Key("Capacity of the tier. | required | GB | 0.001..1000000000") double capacityGb,
            @Key("Read bandwidth per instance. | required | GB/s | 0.000001..1000000000") double readGbs,
            @Key("Fixed latency of a read. | 50 | us | 0..1000000000") double latencyUs) {}

    /** Returns the tiers, fastest first; empty if absent. */
    public List<Optional<Tier>> all() {
        List<Optional<Tier>> all = new ArrayList<>();
        all.add(host);
        all.add(ssd);
        all.add(remote);
        return all;
    }
}
