package dev.stagesim.stage.compare;

import dev.stagesim.stage.compare.Diagnosis.Rule;
import dev.stagesim.stage.compare.Finding.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** Compares the settings of two runs that affect speed. */
final class SettingsDiff {
    /** A setting that affects speed, with its names in engines and tools. */
    enum Setting {
        TENSOR_PARALLEL("tensor parallel size", "tensor_parallel_size tp tp_size"),
        PIPELINE("pipeline stages", "num_pipeline_stages pipeline_parallel_size pp pp_size"),
        REPLICAS("replicas", "replicas num_replicas data_parallel_size dp dp_size"),
        EXPERT_PARALLEL("expert parallel size", "expert_parallel_size ep ep_size"),
        SCHEDULER("scheduler", "engine.scheduler scheduler.kind"),
        KV_BLOCKS("KV blocks", "num_gpu_blocks num_blocks total_blocks"),
        KV_BLOCK_SIZE("KV block size (tokens)", "block_size page_size"),
        KV_CACHE("KV cache (tokens)", "max_total_num_tokens max_total_tokens"),
        MEMORY(
                "share of memory for weights and cache",
                "gpu_memory_utilization mem_fraction_static kv_cache_percentage"),
        BATCH_SIZE(
                "batch size cap (requests)",
                "max_num_seqs batch_size_cap batch_cap max_batch_size max_running_requests"),
        BATCH_TOKENS("batch token cap", "max_num_batched_tokens max_tokens_in_batch max_num_tokens"),
        CHUNK_SIZE("chunk size (tokens)", "chunk_size chunked_prefill_size long_prefill_token_threshold"),
        PREFIX_CACHING("prefix caching", "enable_prefix_caching prefix_cache"),
        LONGEST("longest sequence (tokens)", "max_model_len max_seq_len context_length"),
        DATA_TYPE("data type", "dtype"),
        KV_TYPE("KV cache type", "kv_cache_dtype kv_dtype"),
        QUANTISATION("quantisation", "quantization quant"),
        SPECULATIVE("speculative decoding", "speculative_algorithm speculative_model spec"),
        ENGINE("engine", "engine.name"),
        ENGINE_VERSION("engine version", "engine.version vllm_version sglang_version version");

        private static final List<String> SECTIONS = List.of("", "settings.", "engine.", "cluster.", "scheduler.");

        final String title;
        private final String names;

        Setting(String title, String names) {
            this.title = title;
            this.names = names;
        }

        /** Returns the paths of the setting in a run's documents, the most likely first. */
        Stream<String> paths() {
            return SECTIONS.stream()
                    .flatMap(section -> Stream.of(names.split(" ", -1)).map(name -> section + name));
        }
    }

    /** One setting of both runs; empty if a run does not state it. */
    record Row(Setting setting, Optional<String> real, Optional<String> sim) {
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

    private static final Optional<String> SIMULATOR = Optional.of("stagesim");

    private SettingsDiff() {}

    /** Returns the settings that at least one run states. */
    static List<Row> rows(ComparedRun real, ComparedRun sim) {
        List<Row> rows = new ArrayList<>();
        for (Setting setting : Setting.values()) {
            Row row = new Row(setting, stated(real, setting), stated(sim, setting));
            if (row.real().isPresent() || row.sim().isPresent()) {
                rows.add(row);
            }
        }
        return rows;
    }

    private static Optional<String> stated(ComparedRun side, Setting setting) {
        return Optional.ofNullable(side.facts().settings().get(setting));
    }

    /**
     * Describes the differences. A simulator always differs from the engine that it simulates, so that difference is
     * omitted.
     */
    private static List<String> differences(Diagnosis d, Predicate<Setting> wanted) {
        return rows(d.real(), d.sim()).stream()
                .filter(row -> wanted.test(row.setting()) && row.differs() && !isSimulator(row))
                .map(row -> row.setting().title + ": " + row.real().orElseThrow() + " "
                        + d.real().label() + ", " + row.sim().orElseThrow() + " "
                        + d.sim().label())
                .toList();
    }

    private static boolean isSimulator(Row row) {
        return (row.setting() == Setting.ENGINE || row.setting() == Setting.ENGINE_VERSION)
                && (row.real().equals(SIMULATOR) || row.sim().equals(SIMULATOR));
    }

    /** KV memory differs. */
    static final class KvBlocks implements Rule {
        @Override
        public Optional<Finding> finding(Diagnosis d) {
            return differences(d, setting -> setting == Setting.KV_BLOCKS).stream()
                    .map(text -> new Finding(
                            "kv_blocks",
                            Kind.LIKELY,
                            "The sides have different numbers of KV blocks",
                            List.of(
                                    text
                                            + "; blocks limit how many requests run at once, so queueing and preemption differ."),
                            "Set the simulation's number of blocks to the value in the measured engine's log."))
                    .findFirst();
        }
    }

    /** Other settings differ. */
    static final class Others implements Rule {
        @Override
        public Optional<Finding> finding(Diagnosis d) {
            return Finding.of(
                    "settings",
                    Kind.POSSIBLE,
                    "The sides are configured differently",
                    differences(d, setting -> setting != Setting.KV_BLOCKS).stream()
                            .map(text -> text + ".")
                            .toList(),
                    "Make them equal, unless you compare different settings on purpose.");
        }
    }
}
