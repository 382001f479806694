package dev.stagesim.verify.fidelity.kernels;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Precision;
import dev.stagesim.sim.kernels.Kernels;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * A table of measured kernels with the columns of {@code real/kernels}, or with those of AIConfigurator.
 *
 * @param kind what is measured
 * @param columns names of the columns
 */
record KernelTable(Kind kind, List<String> columns) {
    private static final double US_PER_MS = 1e3;
    private static final double HALF_BYTES = 2;
    private static final double MEGA = 1e6;

    /** Columns of AIConfigurator and their names here. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("device", "system"),
            Map.entry("engine", "framework"),
            Map.entry("tokens", "num_tokens"),
            Map.entry("hidden", "hidden_size"),
            Map.entry("ffn", "inter_size"),
            Map.entry("top_k", "topk"),
            Map.entry("experts", "num_experts"),
            Map.entry("moe_tp", "moe_tp_size"),
            Map.entry("moe_ep", "moe_ep_size"),
            Map.entry("routing", "distribution"),
            Map.entry("batch", "batch_size"),
            Map.entry("heads", "num_heads"),
            Map.entry("kv_heads", "num_key_value_heads"),
            Map.entry("window", "window_size"),
            Map.entry("kv_dtype", "kv_cache_dtype"),
            Map.entry("gpus", "num_gpus"),
            Map.entry("elements", "message_size"));

    private static final Map<String, String> OPTIONS = Map.of(
            "b200_sxm", "b200_sxm_180gb",
            "b300_sxm", "b300_sxm_288gb",
            "gb200", "gb200_nvl72_per_gpu",
            "gb300", "gb300_nvl72_per_gpu",
            "h100_sxm", "h100_sxm_80gb",
            "h200_sxm", "h200_sxm_141gb",
            "a100_sxm", "a100_sxm_80gb",
            "b60", "intel_arc_pro_b60");

    private static final Map<String, Precision> FORMATS = Map.ofEntries(
            Map.entry("bfloat16", Precision.BF16),
            Map.entry("half", Precision.BF16),
            Map.entry("fp8", Precision.FP8),
            Map.entry("fp8_block", Precision.FP8_BLOCK),
            Map.entry("sq", Precision.INT8),
            Map.entry("int8_wo", Precision.W8A16_INT8),
            Map.entry("int4_wo", Precision.INT4),
            Map.entry("nvfp4", Precision.NVFP4),
            Map.entry("w4a16_mxfp4", Precision.INT4),
            Map.entry("w4a8_mxfp4_mxfp8", Precision.MXFP4));

    /** Kernels that are compared. */
    enum Kind {
        PRODUCT,
        EXPERTS,
        DECODE,
        PREFILL,
        ALL_REDUCE;

        private List<String> needed() {
            return switch (this) {
                case PRODUCT -> List.of("m", "n", "k");
                case EXPERTS -> List.of("top_k", "moe_tp", "moe_ep");
                case DECODE -> List.of("kv_heads", "context");
                case PREFILL -> List.of("kv_heads", "chunk");
                case ALL_REDUCE -> List.of("gpus", "mode");
            };
        }
    }

    /** Returns the table with these columns; empty if it measures another kernel. */
    static Optional<KernelTable> of(List<String> header) {
        List<String> columns = header.stream().map(KernelTable::name).toList();
        for (Kind kind : Kind.values()) {
            if (columns.containsAll(kind.needed())
                    && columns.contains("device")
                    && (columns.contains("time_us") || columns.contains("latency"))) {
                return Optional.of(new KernelTable(kind, columns));
            }
        }
        return Optional.empty();
    }

    private static String name(String column) {
        if (column.equals("gpu")) {
            return "device";
        }
        if (Set.of("gemm_dtype", "moe_dtype", "attn_dtype", "allreduce_dtype").contains(column)) {
            return "dtype";
        }
        return NAMES.entrySet().stream()
                .filter(each -> each.getValue().equals(column))
                .map(Map.Entry::getKey)
                .findFirst()
                .orElse(column);
    }

    /** Returns the hardware option of a device's name. */
    static String option(String device) {
        return OPTIONS.getOrDefault(
                device, device.toLowerCase(Locale.ROOT).replace('-', '_').replace(' ', '_'));
    }

    Row row(String[] cells) {
        return new Row(this, cells);
    }

    /** A measured kernel. */
    record Row(KernelTable table, String[] cells) {
        Kind kind() {
            return table.kind;
        }

        String device() {
            return text("device");
        }

        double micros() {
            return table.columns.contains("time_us") ? number("time_us") : US_PER_MS * number("latency");
        }

        /** Engine, device and format. */
        String group() {
            String kv = table.columns.contains("kv_dtype") ? " " + text("kv_dtype") : "";
            return device() + " " + text("engine").toLowerCase(Locale.ROOT) + " " + text("dtype") + kv;
        }

        /** True if a measurement in a loop reads the keys and values from the L2 cache. */
        boolean isCached(KernelFidelity.Device device) {
            double bytes =
                    HALF_BYTES * 2 * number("batch") * number("context") * number("kv_heads") * number("head_dim");
            return kind() == Kind.DECODE
                    && number("window") == 0
                    && bytes < MEGA * device.card().memory().onchipMb().orElse(0.0);
        }

        /** False for rows that contain the host's launch, uneven routing, or formats without a card. */
        boolean isMeasured() {
            boolean launches =
                    switch (kind()) {
                        case ALL_REDUCE -> text("mode").contains("eager");
                        case PRODUCT ->
                            text("engine").equalsIgnoreCase("vllm")
                                    && text("dtype").equals("fp8_block");
                        default -> false;
                    };
            boolean uneven = kind() == Kind.EXPERTS && !text("routing").equals("balanced");
            return !launches && !uneven && FORMATS.containsKey(text("dtype")) && micros() > 0;
        }

        double predict(KernelFidelity.Device device) {
            return switch (kind()) {
                case PRODUCT ->
                    device.kernels().product(number("m"), number("n"), number("k"), format()) + quantised(device);
                case EXPERTS -> experts(device);
                case DECODE -> decode(device);
                case PREFILL -> prefill(device);
                case ALL_REDUCE -> device.links().allReduce(HALF_BYTES * number("elements"), (int) number("gpus"));
            };
        }

        /** The kernel that quantises the input. Engines fuse it with the operator before the product. */
        private double quantised(KernelFidelity.Device device) {
            boolean isDynamic = format() == Precision.FP8 || format() == Precision.NVFP4;
            return isDynamic
                    ? device.kernels().small((1 + format().bytes() / HALF_BYTES) * number("m") * number("k"))
                    : 0;
        }

        private double experts(KernelFidelity.Device device) {
            double tokens = number("tokens");
            double rows = tokens * number("top_k") / number("moe_ep");
            double touched = Math.min(number("experts") / number("moe_ep"), Math.max(1, rows));
            double width = number("ffn") / number("moe_tp");
            // Nemotron's experts have two matrices
            double matrices = number("top_k") == 22 || number("hidden") == 2688 ? 2 : 3;
            Kernels.Expert expert = new Kernels.Expert(number("hidden"), width, matrices * number("hidden") * width);
            return device.kernels().experts(touched, tokens, rows, expert, format())
                    + device.kernels().traffic(HALF_BYTES * matrices * rows * width);
        }

        private double decode(KernelFidelity.Device device) {
            double context = number("context") + 1;
            double window = number("window");
            double read = window > 0 && context > window ? window + Kernels.TILE : Kernels.tiled(context);
            double groups = number("kv_heads");
            double width = number("head_dim");
            return device.kernels()
                    .decodeAttention(
                            number("batch"),
                            read,
                            groups,
                            2 * groups * width,
                            text("kv_dtype").equals("bfloat16") ? HALF_BYTES : 1,
                            4 * number("heads") * width);
        }

        private double prefill(KernelFidelity.Device device) {
            double chunk = number("chunk");
            double window = number("window");
            double limit = window > 0 ? Math.min(window, chunk) : chunk;
            double pairs = limit * (limit + 1) / 2 + (chunk - limit) * limit;
            double batch = number("batch");
            double heads = number("heads");
            return device.kernels()
                    .prefillAttention(batch * pairs, batch * chunk, chunk, heads, 4 * heads * number("head_dim"));
        }

        private Precision format() {
            return FORMATS.getOrDefault(text("dtype"), Precision.BF16);
        }

        private double number(String column) {
            String text = text(column);
            try {
                return Double.parseDouble(text);
            } catch (NumberFormatException e) {
                throw invalid("column '" + column + "' is '" + text + "', expected a number");
            }
        }

        private String text(String column) {
            int at = table.columns.indexOf(column);
            if (at < 0) {
                throw invalid("column '" + column + "' is missing");
            }
            return cells[at];
        }

        private StageException invalid(String what) {
            return StageException.input(
                    Problem.artifact("table of kernels " + kind(), what).options(table.columns));
        }
    }
}
