package dev.stagesim.verify.blis;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.sim.serving.cluster.BlisConfig;
import dev.stagesim.sim.serving.cluster.BlisEngine;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The settings of a recorded run. */
final class CaseConfig {
    private static final String MODEL = "m";
    private static final double MICROS = 1e6;

    private final JsonAt json;

    CaseConfig(JsonAt json) {
        this.json = json;
    }

    String text(String name) {
        return json.get(name).asString();
    }

    private int whole(String name) {
        return json.get(name).asInt();
    }

    private long time(String name) {
        return json.get(name).asLong();
    }

    private double number(String name) {
        return json.get(name).asDouble();
    }

    /** A setting whose 0 stands for the peer's own default. */
    private double number(String name, double ifZero) {
        double given = number(name);
        return given == 0 ? ifZero : given;
    }

    private boolean is(String name) {
        return json.get(name).asBool();
    }

    long horizon() {
        long horizon = json.get("horizon_us").asLong();
        return horizon == 0 ? Long.MAX_VALUE : horizon;
    }

    boolean hasPools() {
        return whole("prefill_instances") + whole("decode_instances") + whole("shared_instances") > 0;
    }

    boolean contends() {
        return is("pd_contention");
    }

    BlisConfig toConfig() {
        return new BlisConfig(
                whole("instances"),
                horizon(),
                MODEL,
                engine(),
                new BlisConfig.Admission(
                        text("admission"),
                        time("admission_latency_us"),
                        number("token_bucket_capacity"),
                        number("token_bucket_rate"),
                        whole("tier_shed_threshold"),
                        whole("tier_shed_min_priority"),
                        number("gaie_queue_threshold", 5),
                        number("gaie_kv_threshold", 0.8),
                        budgets()),
                new BlisConfig.Routing(
                        text("routing"),
                        time("routing_latency_us"),
                        scorers("scorers"),
                        scorers("prefill_scorers"),
                        scorers("decode_scorers"),
                        time("snapshot_refresh_us"),
                        time("cache_signal_delay_us")),
                split(),
                is("flow_control") ? Optional.of(gateway()) : Optional.empty(),
                number("as_interval_us") > 0 ? Optional.of(scaling()) : Optional.empty(),
                nodes(),
                micros("loading_delay_s"),
                is("warm_start"));
    }

    private long micros(String name) {
        return (long) (number(name) * MICROS);
    }

    private BlisEngine engine() {
        return new BlisEngine(
                json.get("step_time").asLongs(),
                json.get("queue_time").asLongs(),
                whole("total_kv_blocks"),
                whole("block_size"),
                whole("cpu_kv_blocks"),
                number("cpu_tokens_per_us"),
                time("cpu_base_latency_us"),
                whole("max_num_seqs"),
                whole("max_num_batched_tokens"),
                whole("long_prefill_token_threshold"),
                whole("max_model_len"),
                text("scheduler").isEmpty()
                        ? BlisEngine.Order.FCFS
                        : BlisEngine.Order.valueOf(
                                text("scheduler").toUpperCase(Locale.ROOT).replace('-', '_')),
                text("preemption").equals("priority"),
                adapters());
    }

    private BlisEngine.Adapters adapters() {
        JsonAt lora = json.get("lora");
        if (lora.isNull()) {
            return new BlisEngine.Adapters(0, 0, 1, 0, List.of());
        }
        List<BlisEngine.Adapter> all = new ArrayList<>();
        for (JsonAt adapter : lora.get("adapters").items()) {
            all.add(new BlisEngine.Adapter(
                    adapter.get("id").asString(), adapter.get("rank").asInt()));
        }
        return new BlisEngine.Adapters(
                lora.get("capacity").asInt(),
                lora.get("load_base_us").asDouble(),
                lora.get("load_bytes_per_us").asDouble(),
                lora.get("bytes_per_rank").asDouble(),
                all);
    }

    private Map<String, Double> budgets() {
        Map<String, Double> budgets = new HashMap<>();
        JsonAt given = json.get("tenant_budgets");
        if (!given.isNull()) {
            given.members().forEach((tenant, share) -> budgets.put(tenant, share.asDouble()));
        }
        return budgets;
    }

    private List<BlisConfig.Scorer> scorers(String name) {
        List<BlisConfig.Scorer> scorers = new ArrayList<>();
        String given = text(name);
        if (!given.isEmpty()) {
            for (String part : given.split(",", -1)) {
                int colon = part.indexOf(':');
                scorers.add(new BlisConfig.Scorer(
                        part.substring(0, colon).strip(), Double.parseDouble(part.substring(colon + 1))));
            }
        }
        return scorers;
    }

    private BlisConfig.Split split() {
        return new BlisConfig.Split(
                whole("prefill_instances"),
                whole("decode_instances"),
                whole("shared_instances"),
                whole("encode_instances"),
                text("encode_decider"),
                text("pd_decider"),
                whole("pd_prefix_threshold"),
                number("pd_bandwidth_gb_per_s") * 1000,
                number("pd_base_latency_ms") * 1000,
                contends(),
                2.0 * whole("layers") * whole("kv_heads") * whole("head_dim") * 2);
    }

    private BlisConfig.Gateway gateway() {
        Map<String, Long> targets = new HashMap<>();
        JsonAt given = json.get("fc_slo_targets_us");
        if (!given.isNull()) {
            given.members().forEach((name, target) -> targets.put(name, target.asLong()));
        }
        return new BlisConfig.Gateway(
                text("fc_detector"),
                text("fc_dispatch_order").equals("slo-deadline"),
                targets,
                whole("fc_max_depth"),
                number("fc_queue_threshold"),
                number("fc_kv_threshold"),
                whole("fc_max_concurrency"),
                whole("fc_per_band_capacity"),
                Math.min(1, number("fc_usage_limit", 1)),
                text("fc_fairness").equals("round-robin"),
                time("fc_ttl_us"),
                is("fc_shedding"),
                (long) number("fc_tick_us", 1000),
                is("fc_eviction"));
    }

    private BlisConfig.Scaling scaling() {
        return new BlisConfig.Scaling(
                (long) number("as_interval_us"),
                micros("as_scrape_delay_s"),
                (long) number("as_up_window_us"),
                (long) number("as_down_window_us"),
                number("as_kv_threshold", 0.8),
                number("as_up_threshold", 0.8),
                number("as_down_boundary", 0.4),
                number("as_avg_input_tokens", 512));
    }

    private List<BlisConfig.NodePool> nodes() {
        List<BlisConfig.NodePool> pools = new ArrayList<>();
        for (JsonAt pool : json.get("node_pools").items()) {
            pools.add(new BlisConfig.NodePool(
                    pool.get("gpu_type").asString(),
                    pool.get("gpus_per_node").asInt(),
                    pool.get("initial_nodes").asInt(),
                    pool.get("cost_per_hour").asDouble()));
        }
        return pools;
    }
}
