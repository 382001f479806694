package dev.stagesim.stage.compare;

import dev.stagesim.stage.compare.Finding.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/** Settings that decide how fast a system is, side by side. */
final class SettingsDiff {
    private record Known(String title, List<String> names) {}

    /** One setting on both sides; empty where a side does not state it. */
    record Row(String title, Optional<String> real, Optional<String> sim) {
        boolean differs() {
            return real.isPresent() && sim.isPresent() && !same(real.get(), sim.get());
        }

        private static boolean same(String a, String b) {
            try {
                return Double.parseDouble(a) == Double.parseDouble(b);
            } catch (NumberFormatException e) {
                return a.toLowerCase(Locale.ROOT).equals(b.toLowerCase(Locale.ROOT));
            }
        }
    }

    private static final List<Known> KNOWN = List.of(
            new Known("tensor parallel size", List.of("tensor_parallel_size", "tp", "tp_size")),
            new Known("pipeline stages", List.of("num_pipeline_stages", "pipeline_parallel_size", "pp", "pp_size")),
            new Known("replicas", List.of("replicas", "num_replicas", "data_parallel_size", "dp", "dp_size")),
            new Known("expert parallel size", List.of("expert_parallel_size", "ep", "ep_size")),
            new Known("scheduler", List.of("engine.scheduler", "scheduler.kind")),
            new Known("KV blocks", List.of("num_gpu_blocks", "num_blocks", "total_blocks")),
            new Known("KV block size (tokens)", List.of("block_size", "page_size")),
            new Known("KV cache (tokens)", List.of("max_total_num_tokens", "max_total_tokens")),
            new Known(
                    "share of memory for weights and cache",
                    List.of("gpu_memory_utilization", "mem_fraction_static", "kv_cache_percentage")),
            new Known(
                    "batch size cap (requests)",
                    List.of("max_num_seqs", "batch_size_cap", "batch_cap", "max_batch_size", "max_running_requests")),
            new Known("batch token cap", List.of("max_num_batched_tokens", "max_tokens_in_batch", "max_num_tokens")),
            new Known(
                    "chunk size (tokens)",
                    List.of("chunk_size", "chunked_prefill_size", "long_prefill_token_threshold")),
            new Known("prefix caching", List.of("enable_prefix_caching", "prefix_cache")),
            new Known("longest sequence (tokens)", List.of("max_model_len", "max_seq_len", "context_length")),
            new Known("data type", List.of("dtype")),
            new Known("KV cache type", List.of("kv_cache_dtype", "kv_dtype")),
            new Known("quantisation", List.of("quantization", "quant")),
            new Known("speculative decoding", List.of("speculative_algorithm", "speculative_model", "spec")),
            new Known("engine", List.of("engine.name")),
            new Known("engine version", List.of("engine.version", "vllm_version", "sglang_version", "version")));

    private static final Optional<String> SIMULATOR = Optional.of("stagesim");
    private static final List<String> SECTIONS = List.of("", "settings.", "engine.", "cluster.", "scheduler.");

    private SettingsDiff() {}

    /** The settings that at least one side states. */
    static List<Row> rows(Side real, Side sim) {
        List<Row> rows = new ArrayList<>();
        for (Known known : KNOWN) {
            Row row = new Row(known.title(), find(real, known), find(sim, known));
            if (row.real().isPresent() || row.sim().isPresent()) {
                rows.add(row);
            }
        }
        return rows;
    }

    private static Optional<String> find(Side side, Known known) {
        for (String section : SECTIONS) {
            for (String name : known.names()) {
                Optional<String> fact = side.fact(section + name);
                if (fact.isPresent()) {
                    return fact;
                }
            }
        }
        return Optional.empty();
    }

    /** A simulation is another engine than what it simulates, always. */
    private static boolean isSimulator(Row row) {
        return row.title().startsWith("engine")
                && (row.real().equals(SIMULATOR) || row.sim().equals(SIMULATOR));
    }

    /** One finding for KV memory, one for all other settings that differ. */
    static List<Finding> findings(Side real, Side sim) {
        List<Finding> findings = new ArrayList<>();
        List<String> others = new ArrayList<>();
        for (Row row : rows(real, sim)) {
            if (!row.differs() || isSimulator(row)) {
                continue;
            }
            String text = row.title() + ": " + row.real().orElseThrow() + " " + real.label() + ", "
                    + row.sim().orElseThrow() + " " + sim.label();
            if (row.title().equals("KV blocks")) {
                findings.add(new Finding(
                        "kv_blocks",
                        Kind.LIKELY,
                        "The sides have different numbers of KV blocks",
                        List.of(text
                                + "; blocks limit how many requests run at once, so queueing and preemption differ."),
                        "Set the simulation's number of blocks to that of the measured engine's log."));
            } else {
                others.add(text + ".");
            }
        }
        if (!others.isEmpty()) {
            findings.add(new Finding(
                    "settings",
                    Kind.POSSIBLE,
                    "The sides are configured differently",
                    others,
                    "Make them the same, unless the difference is what you are after."));
        }
        return findings;
    }
}
