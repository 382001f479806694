package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.OnlyIf;
import java.util.Map;
import java.util.Optional;

/** The section {@code cluster.gateway}. */
public record GatewaySettings(
        @Key("Which requests are let in. | { kind = all }") AdmissionSettings admission,
        @Key("The order in which they wait. | { kind = fifo }") QueueOrderSettings order,
        @Key(
                        "Maximum number of requests that are sent and not done, for each open instance; others wait. Null for any number. |"
                                + " null | 1..1000000")
                Optional<Integer> inFlight,
        @Key("Maximum number of waiting requests; null for any number. | null | 1..100000000") Optional<Integer> depth,
        @Key("Tenants, by name; without any, all requests are of one with the defaults. | {}")
                Map<String, Tenant> tenants,
        @Key("Seed of the draws of tenants and cancellations. | 42 | 0..9223372036854775807") long seed) {
    /** The section {@code cluster.gateway.tenants.NAME}. */
    public record Tenant(
            @Key("Weight of the draw that says whose a conversation is. | 1 | 0.000001..1000000") double share,
            @Key("Share of service relative to the others, where order is vtc. | 1 | 0.000001..1000000")
                    @OnlyIf("cluster.gateway.order.kind = vtc | weights count where order is vtc | set"
                            + " cluster.gateway.order.kind=vtc, or leave weight out")
                    double weight,
            @Key("Priority: greater ones first, where order is priority; below 0 it can be refused by admission."
                            + " | 0 | -1000000..1000000")
                    int priority,
            @Key(
                            "Time to the first token after which a request is given up; null for never. | null | s | 0.001..1000000000")
                    Optional<Double> firstTokenS,
            @Key("Time to the last token after which a request is given up; null for never. | null | s |"
                            + " 0.001..1000000000")
                    Optional<Double> timeoutS,
            @Key("Share of the requests that clients may cancel. | 0 | 0..1") double cancelShare,
            @Key("Mean time until they do, exponential. | 10 | s | 0.001..1000000000")
                    @OnlyIf("cancel_share > 0 | nobody cancels | set cancel_share")
                    double cancelS) {
        static final Tenant DEFAULTS = KeyRecord.defaults(Tenant.class);
    }
}
