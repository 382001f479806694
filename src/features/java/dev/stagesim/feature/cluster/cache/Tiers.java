package dev.stagesim.feature.cluster.cache;

import dev.stagesim.model.Key;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The section {@code cluster.pools.NAME.tiers}: where keys and values go besides the devices. */
public record Tiers(
        @Key("Memory of the host, of each instance; null for none. | null") Optional<Tier> host,
        @Key("Disks, of each instance; null for none. | null") Optional<Tier> ssd,
        @Key("A store that the instances of the pool share; null for none. | null") Optional<Tier> remote,
        @Key(
                        "How long what is left by a conversation that has more turns gives way after all else. | 0 | s | 0..1000000")
                double retainS,
        @Key("Minimum tokens in lower tiers that come to the host's memory while a request waits in the queue of its"
                        + " engine; null for none. | null | tokens | 1..1000000000")
                Optional<Integer> prefetchTokens) {
    /** Names of the tiers, fastest first. */
    public static final List<String> NAMES = List.of("host", "ssd", "remote");

    /** The section {@code cluster.pools.NAME.tiers.TIER}. */
    public record Tier(
            @Key("What it holds. | required | GB | 0.001..1000000000") double capacityGb,
            @Key("Rate at which an instance reads from it. | required | GB/s | 0.000001..1000000000") double readGbs,
            @Key("Time of a read besides its bytes. | 50 | us | 0..1000000000") double latencyUs) {}

    /** Those there are, by place; fastest first. */
    public List<Optional<Tier>> all() {
        List<Optional<Tier>> all = new ArrayList<>();
        all.add(host);
        all.add(ssd);
        all.add(remote);
        return all;
    }
}
