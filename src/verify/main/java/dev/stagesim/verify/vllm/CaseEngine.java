package dev.stagesim.verify.vllm;

import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvGroup.Kind;
import dev.stagesim.sim.serving.memory.KvGroup.States;
import dev.stagesim.sim.serving.memory.KvLayout;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.policy.VllmSettings;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.sim.serving.settings.Speculation.Method;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** The engine that a case describes. */
record CaseEngine(VllmSettings settings, KvLayout layout, int prefillInterval, Optional<Connector> connector) {
    /** Role of the connector in prefill/decode disaggregation, and its reaction to failed loads. */
    record Connector(boolean isProducer, boolean isConsumer, boolean recomputes) {}

    static CaseEngine of(LocatedJson engine, VllmRules rules) {
        Speculation speculation =
                engine.find("spec").map(CaseEngine::speculation).orElse(Speculation.NONE);
        int interval = integer(engine, "prefill_schedule_interval", 1);
        boolean isLocal = bool(engine, "prefill_schedule_local", false);
        int batched = engine.get("max_num_batched_tokens").asInt();
        VllmSettings settings = new VllmSettings(
                engine.get("max_num_seqs").asInt(),
                new VllmSettings.StepTokens(batched, integer(engine, "max_num_scheduled_tokens", batched), batched),
                new VllmSettings.Pacing(
                        integer(engine, "long_prefill_token_threshold", 0),
                        bool(engine, "long_prefill_token_threshold_adaptive", false),
                        integer(engine, "max_num_active_seqs", Integer.MAX_VALUE),
                        isLocal ? interval : 1),
                bool(engine, "enable_chunked_prefill", true),
                engine.find("policy").map(LocatedJson::asString).orElse("fcfs").equals("priority"),
                engine.find("watermark").map(LocatedJson::asDouble).orElse(0.0),
                bool(engine, "reserve_full_isl", true),
                bool(engine, "async_scheduling", false),
                integer(engine, "pipeline_parallel_size", 1),
                0,
                speculation,
                new VllmSettings.Version(rules, integer(engine, "model_runner", 1)));
        return new CaseEngine(
                settings,
                layout(engine, settings),
                isLocal ? 1 : interval,
                engine.find("kv_connector").map(CaseEngine::connector));
    }

    private static KvLayout layout(LocatedJson engine, VllmSettings settings) {
        return settings.layout(
                engine.get("kv_groups").items().stream().map(CaseEngine::group).toList(),
                engine.get("num_blocks").asInt(),
                engine.get("enable_prefix_caching").asBool(),
                engine.get("max_model_len").asInt(),
                engine.has("kv_connector"),
                integer(engine, "prefix_match_unit", 0),
                integer(engine, "retention_interval", KvLayout.DENSE));
    }

    private static KvGroup group(LocatedJson group) {
        String type = group.get("type").asString();
        Kind kind =
                switch (type) {
                    case "full" -> Kind.FULL;
                    case "sliding_window" -> Kind.SLIDING_WINDOW;
                    case "chunked_local" -> Kind.CHUNKED_LOCAL;
                    case "rswa" -> Kind.ROLLING_WINDOW;
                    case "mamba" -> Kind.MAMBA;
                    default -> throw group.get("type").expected("a type of group");
                };
        int window = integer(group, "sliding_window", 0)
                + integer(group, "attention_chunk_size", 0)
                + integer(group, "rswa_window", 0);
        States states = group.find("mode")
                .map(mode -> States.valueOf(mode.asString().toUpperCase(Locale.ROOT)))
                .orElse(States.NONE);
        return new KvGroup(
                kind,
                group.get("block_size").asInt(),
                window,
                states,
                integer(group, "num_speculative_blocks", 0),
                bool(group, "eagle", false),
                integer(group, "head_size", 0),
                integer(group, "num_prefill_checkpoint_blocks", 0) > 0
                        ? integer(group, "prefill_checkpoint_alignment", 0)
                        : 0);
    }

    private static Speculation speculation(LocatedJson spec) {
        List<Speculation.Range> ranges = new ArrayList<>();
        spec.find("per_batch_size").filter(list -> !list.isNull()).ifPresent(list -> list.items()
                .forEach(item -> {
                    long[] range = item.asLongs();
                    ranges.add(new Speculation.Range((int) range[0], (int) range[1], (int) range[2]));
                }));
        return new Speculation(
                Method.valueOf(spec.get("method").asString().toUpperCase(Locale.ROOT)),
                spec.get("num_speculative_tokens").asInt(),
                bool(spec, "parallel_drafting", false),
                integer(spec, "mtp_layers", 1),
                ranges);
    }

    private static Connector connector(LocatedJson connector) {
        String role = connector.get("role").asString();
        return new Connector(
                !role.equals("kv_consumer"),
                !role.equals("kv_producer"),
                connector
                        .find("failure_policy")
                        .map(LocatedJson::asString)
                        .orElse("fail")
                        .equals("recompute"));
    }

    private static int integer(LocatedJson from, String name, int otherwise) {
        return from.find(name)
                .filter(value -> !value.isNull())
                .map(LocatedJson::asInt)
                .orElse(otherwise);
    }

    private static boolean bool(LocatedJson from, String name, boolean otherwise) {
        return from.find(name)
                .filter(value -> !value.isNull())
                .map(LocatedJson::asBool)
                .orElse(otherwise);
    }
}
