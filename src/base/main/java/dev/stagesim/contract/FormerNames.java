package dev.stagesim.contract;

import dev.stagesim.model.Problem;
import dev.stagesim.model.Suggest;
import java.util.Collection;
import java.util.Map;

/** Former names of columns and metrics, for errors that give the current name. */
public final class FormerNames {
    private static final Map<String, String> NEW = Map.ofEntries(
            Map.entry("fate", "status"),
            Map.entry("figure", "metric"),
            Map.entry("why", "reason"),
            Map.entry("nodes_most", "peak_nodes"),
            Map.entry("fullest_port", "max_queue_port"),
            Map.entry("fullest_bytes", "max_queue_bytes"),
            Map.entry("most_waiting_bytes", "max_queue_bytes"),
            Map.entry("waited_ns", "waiting_ns"),
            Map.entry("longest_queue", "max_queue_length"),
            Map.entry("what", "waiting_for"),
            Map.entry("late_first_ns", "first_token_lateness_ns"),
            Map.entry("late_most_ns", "max_lateness_ns"),
            Map.entry("sent_as", "sent_request_id"),
            Map.entry("client_id", "client_request_id"),
            Map.entry("products_us", "matmul_us"),
            Map.entry("small_us", "elementwise_us"),
            Map.entry("gaps_us", "kernel_gap_us"),
            Map.entry("begin_s", "start_s"),
            Map.entry("against", "predictor"),
            Map.entry("paid_s", "billed_s"),
            Map.entry("cached_unforeseen_share", "unexpected_hit_share"),
            Map.entry("cached_missed_share", "missed_hit_share"),
            Map.entry("against_ns", "baseline_ns"),
            Map.entry("instead", "alternative"),
            Map.entry("asked_tokens", "queried_tokens"),
            Map.entry("no_memory_share", "memory_wait_share"),
            Map.entry("moved_tokens", "transferred_tokens"),
            Map.entry("second_routing_ns", "decode_routing_ns"),
            Map.entry("moved_gb", "transferred_gb"),
            Map.entry("transfers_at_once", "max_concurrent_transfers"),
            Map.entry("prefetch_found_share", "prefetch_hit_share"),
            Map.entry("retained_found_share", "retained_hit_share"));

    private FormerNames() {}

    /** Adds the current name of a renamed column or metric to the problem, or similar names if it was not renamed. */
    public static Problem suggest(Problem problem, String name, Collection<String> columns) {
        String renamed = NEW.get(name);
        if (renamed == null) {
            return problem.didYouMean(Suggest.near(name, columns));
        }
        String elsewhere = columns.contains(renamed) ? "" : ", which is not available here";
        return problem.hint(name + " is now called " + renamed + elsewhere);
    }
}
