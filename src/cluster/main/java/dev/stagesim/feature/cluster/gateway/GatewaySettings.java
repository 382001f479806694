package dev.stagesim.feature.cluster.gateway;

import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.OnlyIf;
import java.util.Map;
import java.util.Optional;

/** The section {@code cluster.gateway}. */
public record GatewaySettings(
        @Key("Admission policy. | { kind = all }") AdmissionSettings admission,
        @Key("Order of the queue. | { kind = fifo }") QueueOrderSettings order,
        @Key("Maximum number of unfinished requests per open instance; further requests wait in"
                        + " the queue. Null for no limit. | null | 1..1000000")
                Optional<Integer> inFlight,
        @Key("Maximum queue length; null for no limit. | null | 1..100000000") Optional<Integer> depth,
        @Key("Tenants, by name. Without tenants, all requests belong to one with the default settings. | {}")
                Map<String, Tenant> tenants,
        @Key("Random seed of tenants and cancellations. | 42 | 0..9223372036854775807") long seed) {
    /** The section {@code cluster.gateway.tenants.NAME}. */
    public record Tenant(
            @Key("Relative share of the sessions that belong to this tenant. | 1 | 0.000001..1000000") double share,
            @Key("Weight of the tenant, for order vtc. | 1 | 0.000001..1000000")
                    @OnlyIf("cluster.gateway.order.kind = vtc | only order vtc uses weights | set"
                            + " cluster.gateway.order.kind=vtc, or leave weight out")
                    double weight,
            @Key("Priority, for order priority and for shedding; higher values go first. Admission can reject"
                            + " requests with a priority below 0. | 0 | -1000000..1000000")
                    int priority,
            @Key("Timeout for the first token; null for no timeout. | null | s |" + " 0.001..1000000000")
                    Optional<Double> firstTokenS,
            @Key("Timeout for the last token; null for no timeout. | null | s | 0.001..1000000000")
                    Optional<Double> timeoutS,
            @Key("Probability that the client cancels a request. | 0 | 0..1") double cancelShare,
            @Key("Mean time until cancellation, exponentially distributed. | 10 | s | 0.001..1000000000")
                    @OnlyIf("cancel_share > 0 | no request is cancelled | set cancel_share")
                    double cancelS) {
        static final Tenant DEFAULTS = KeyRecord.defaults(Tenant.class);
    }
}
