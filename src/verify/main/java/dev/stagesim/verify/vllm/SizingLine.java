package dev.stagesim.verify.vllm;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.serving.memory.KvGroup;
import dev.stagesim.sim.serving.memory.KvGroup.Kind;
import dev.stagesim.sim.serving.memory.KvGroup.States;
import dev.stagesim.sim.serving.memory.KvSizing;
import dev.stagesim.sim.serving.memory.LayerCache;
import dev.stagesim.verify.Difference;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/** One line of the table of cache sizes. */
final class SizingLine {
    private final LocatedJson line;
    private final boolean ignoresWindows;
    private final List<LayerCache> layers = new ArrayList<>();
    private final List<String> names = new ArrayList<>();
    private final Map<String, Integer> shapes = new LinkedHashMap<>();
    private final List<Difference> differences = new ArrayList<>();

    SizingLine(LocatedJson line) {
        this.line = line;
        ignoresWindows = line.get("hybrid_manager_disabled").asBool();
    }

    List<Difference> differences() {
        readLayers();
        try {
            compare(KvSizing.of(layers, line.get("available_kv_bytes").asLongs(), settings()));
        } catch (StageException refused) {
            if (!line.find("error").filter(error -> !error.isNull()).isPresent()) {
                differences.add(new Difference(
                        "outcome", "a division", refused.problems().get(0).render()));
            }
        }
        return differences;
    }

    private KvSizing.Settings settings() {
        int stages = line.get("pipeline_parallel_size").asInt();
        int inFlight = line.get("async_scheduling").asBool() ? Math.max(2, stages) : stages;
        LocatedJson override = line.get("num_gpu_blocks_override");
        return new KvSizing.Settings(
                line.get("max_model_len").asInt(),
                (long) inFlight * line.get("max_num_batched_tokens").asInt(),
                stages,
                ignoresWindows,
                override.isNull() ? 0 : override.asInt());
    }

    private void readLayers() {
        for (LocatedJson run : line.get("layers").items()) {
            String first = run.get("first").asString();
            int at = Integer.parseInt(first.substring(1));
            LayerCache layer = layer(run);
            for (int i = 0; i < run.get("count").asInt(); i++) {
                names.add(first.charAt(0) + Integer.toString(at + i));
                layers.add(layer);
            }
        }
    }

    private LayerCache layer(LocatedJson run) {
        LocatedJson spec = run.get("spec");
        int block = spec.get("block_size").asInt();
        int shape = shapes.computeIfAbsent(Json.compact(withoutWindow(spec)), text -> shapes.size());
        return switch (spec.get("kind").asString()) {
            case "full_attention" -> checked(run, group(Kind.FULL, block, 0, shape), attentionPage(spec, block));
            case "mla_attention" ->
                checked(
                        run,
                        group(Kind.FULL, block, 0, shape),
                        LayerCache.latentPage(
                                block,
                                spec.get("head_size").asInt(),
                                spec.get("compress_ratio").asInt(),
                                bytes(spec.get("dtype").asString())));
            case "sliding_window" ->
                checked(
                        run,
                        group(
                                Kind.SLIDING_WINDOW,
                                block,
                                spec.get("sliding_window").asInt(),
                                shape),
                        attentionPage(spec, block));
            case "chunked_local_attention", "chunked_local" ->
                checked(
                        run,
                        group(
                                Kind.CHUNKED_LOCAL,
                                block,
                                spec.get("attention_chunk_size").asInt(),
                                shape),
                        attentionPage(spec, block));
            case "mamba" ->
                new LayerCache(
                        new KvGroup(
                                Kind.MAMBA,
                                block,
                                0,
                                States.valueOf(
                                        spec.get("mamba_cache_mode").asString().toUpperCase(Locale.ROOT)),
                                spec.get("num_speculative_blocks").asInt(),
                                false,
                                shape),
                        run.get("page_bytes").asLong());
            default -> throw spec.get("kind").expected("a kind of layer");
        };
    }

    private static JsonValue withoutWindow(LocatedJson spec) {
        return spec.object().without(List.of("kind", "sliding_window"));
    }

    private static KvGroup group(Kind kind, int block, int window, int shape) {
        return new KvGroup(kind, block, window, States.NONE, 0, false, shape);
    }

    private static long attentionPage(LocatedJson spec, int block) {
        return LayerCache.attentionPage(
                block,
                spec.get("num_kv_heads").asInt(),
                spec.get("head_size").asInt(),
                spec.get("head_size_v").asInt(),
                bytes(spec.get("dtype").asString()));
    }

    private static int bytes(String type) {
        return switch (type) {
            case "float32" -> 4;
            case "float16", "bfloat16" -> 2;
            default -> 1;
        };
    }

    private LayerCache checked(LocatedJson run, KvGroup group, long page) {
        check(run.get("first").asString() + " page_bytes", run.get("page_bytes").asLong(), page);
        return new LayerCache(group, page);
    }

    private void compare(KvSizing sizing) {
        if (line.find("error").filter(error -> !error.isNull()).isPresent()) {
            differences.add(new Difference("outcome", "an error", "a division"));
            return;
        }
        check("num_blocks", line.get("num_blocks").asLong(), sizing.blocks());
        check("bytes_per_block", line.get("bytes_per_block").asLong(), sizing.bytesPerBlock());
        check("capacity_tokens", line.get("capacity_tokens").asLong(), sizing.capacityTokens());
        check("max_concurrency", line.get("max_concurrency").asDouble(), sizing.concurrency());
        check(
                "scheduler_block_size",
                line.get("scheduler_block_size").asLong(),
                sizing.layout().alignment());
        check(
                "hash_block_size",
                line.get("hash_block_size").asLong(),
                sizing.layout().unit());
        line.find("kv_bytes_per_token")
                .ifPresent(bytes -> check("kv_bytes_per_token", bytes.asDouble(), sizing.bytesPerToken()));
        List<LocatedJson> groups = line.get("groups").items();
        check("groups", groups.size(), sizing.groups().size());
        for (int i = 0; i < Math.min(groups.size(), sizing.groups().size()); i++) {
            compareGroup(groups.get(i), sizing, i);
        }
    }

    private void compareGroup(LocatedJson group, KvSizing sizing, int at) {
        String where = "group " + at + " ";
        List<String> own = sizing.layers().get(at).stream().map(names::get).toList();
        if (!group.get("layers").asStrings().equals(own)) {
            differences.add(new Difference(
                    where + "layers", group.get("layers").asStrings().toString(), own.toString()));
        }
        LayerCache layer = sizing.groups().get(at);
        check(where + "page_bytes", group.get("page_bytes").asLong(), layer.pageBytes());
        check(
                where + "block_size",
                group.get("spec").get("block_size").asLong(),
                layer.spec().blockSize());
        check(
                where + "max_blocks_per_request",
                group.get("max_blocks_per_request").asLong(),
                sizing.blocksOfRequest(at));
        String kind = group.get("spec").get("kind").asString();
        boolean isSame =
                switch (layer.spec().kind()) {
                    case FULL -> kind.equals("full_attention") || kind.equals("mla_attention");
                    case SLIDING_WINDOW -> kind.equals("sliding_window");
                    case CHUNKED_LOCAL -> kind.startsWith("chunked_local");
                    case MAMBA -> kind.equals("mamba");
                    case ROLLING_WINDOW -> false;
                };
        if (!isSame) {
            differences.add(
                    new Difference(where + "kind", kind, layer.spec().kind().toString()));
        }
    }

    private void check(String where, long wanted, long got) {
        if (wanted != got) {
            differences.add(new Difference(where, Long.toString(wanted), Long.toString(got)));
        }
    }

    private void check(String where, double wanted, double got) {
        if (Double.compare(wanted, got) != 0) {
            differences.add(new Difference(where, Double.toString(wanted), Double.toString(got)));
        }
    }
}
