package dev.stagesim.verify.fidelity.kernels;

import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.ExpertLibrary;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.sim.kernels.Kernels;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.kernels.StateKernels;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/** The time that the product computes for a measured kernel. */
record KernelPrediction(KernelTable.Row row, Device device) {
    private static final double HALF_BYTES = 2;
    private static final double MEGA = 1e6;
    private static final String LAUNCHED = "times with the host's launches: ";

    /** Devices of a node of the tables of DeepEP; half as many if a node is a tray of a rack. */
    private static final int NODE_DEVICES = 8;

    /** Latent attention of DeepSeek: rank and cached values of a token, and values of a query and an output in prefill. */
    private static final double LATENT_RANK = 512;

    private static final double LATENT_CACHED = 576;
    private static final double LATENT_TILE = 64;

    /** Compute time of TensorRT-LLM's decode attention to a latent cache without kernels for it, relative to others. */
    private static final double UNSPLIT_COMPUTE = 0.6;

    /** Kernels of SGLang that compute prompts from the latent cache. */
    private static final Set<String> ABSORBED = Set.of("flash_attention", "triton");

    /** Passes of SGLang over the values of a prompt to expand them from the latent cache. */
    private static final double EXPANSION_PASSES = 0.9;

    /** Version of vLLM since which the kernel tables contain the write of the cache. */
    private static final String VLLM_WRITES = "0.23";

    /** Version of TensorRT-LLM since which the kernel tables of decode attention on Blackwell contain the rotation. */
    private static final String TRTLLM_ROTATES = "1.3.0rc18";

    /** Reads of 16-bit and writes of 8-bit values, in passes over 16-bit values. */
    private static final double CONVERSION_PASSES = 1.5;

    /** Time of vLLM's write to scattered blocks, relative to other element-wise kernels. */
    private static final double SCATTER = 3;

    private static final double LATENT_QUERY = 192;
    private static final double LATENT_OUTPUT = 128;

    private static final Map<String, Precision> FORMATS = Map.ofEntries(
            Map.entry("bfloat16", Precision.BF16),
            Map.entry("half", Precision.BF16),
            Map.entry("int8", Precision.INT8),
            Map.entry("fp8", Precision.FP8),
            Map.entry("fp8_block", Precision.FP8_BLOCK),
            Map.entry("sq", Precision.INT8),
            Map.entry("int8_wo", Precision.W8A16_INT8),
            Map.entry("int4_wo", Precision.INT4),
            Map.entry("nvfp4", Precision.NVFP4),
            Map.entry("w4a16_mxfp4", Precision.INT4),
            Map.entry("w4a8_mxfp4_mxfp8", Precision.MXFP4));

    /** Hidden size, width and experts per token of the published experts with two matrices: those of Nemotron 3. */
    private static final Set<List<Integer>> TWO_MATRICES = Set.of(
            List.of(2688, 1856, 6),
            List.of(1024, 2688, 22),
            List.of(4096, 2688, 22),
            List.of(2048, 5120, 22),
            List.of(8192, 5120, 22));

    /** A device and the times of its kernels; those of experts by their library. */
    record Device(
            HardwareCard card,
            Kernels kernels,
            Map<ExpertLibrary, Kernels> experts,
            StateKernels states,
            Links links,
            Links fastLinks,
            ModulePrediction.Layers layers) {}

    /** True if a measurement in a loop reads the keys and values from the L2 cache. */
    boolean isCached() {
        if (row.kind() != KernelKind.DECODE || number("window") > 0) {
            return false;
        }
        double bytes = HALF_BYTES * 2 * number("batch") * context() * number("kv_heads") * number("head_dim");
        return bytes < MEGA * device.card().memory().onchipMb().orElse(0.0);
    }

    /** Returns why a row does not measure the kernel that is predicted; empty if it does. */
    Optional<String> whyUnlike() {
        if (row.micros() <= 0) {
            return Optional.of("no time");
        }
        for (String column : List.of("dtype", "gemm_type", "bmm_dtype")) {
            if (row.has(column) && !FORMATS.containsKey(row.text(column))) {
                return Optional.of("format " + row.text(column));
            }
        }
        if (hasLaunches()) {
            return Optional.of(LAUNCHED + row.kind());
        }
        return switch (row.kind()) {
            case EXPERTS ->
                row.text("routing").equals("balanced")
                        ? Optional.empty()
                        : Optional.of("uneven routing: " + row.text("routing"));
            case STATE -> new StatePrediction(row, device.states()).whyUnlike();
            case HEAD_PRODUCTS ->
                row.text("bmm_dtype").equals("bfloat16")
                        ? Optional.empty()
                        : Optional.of("products of heads with a kernel that quantises the input");
            case DECODE_MODULE, PREFILL_MODULE -> device.layers().whyUnknown(row);
            default -> Optional.empty();
        };
    }

    private boolean hasLaunches() {
        boolean isVllm = row.text("engine").equalsIgnoreCase("vllm");
        return switch (row.kind()) {
            case ALL_REDUCE, COLLECTIVE -> row.implementation().contains("eager");
            case PRODUCT -> isVllm && row.text("dtype").equals("fp8_block");
            case LATENT_DECODE, LATENT_PREFILL, DECODE_MODULE -> isVllm;
            case STATE ->
                isVllm
                        && row.text("version").startsWith("0.1.dev")
                        && row.implementation().contains("conv1d_fn");
            default -> false;
        };
    }

    double micros() {
        return switch (row.kind()) {
            case PRODUCT -> device.kernels().product(number("m"), number("n"), number("k"), format()) + quantised();
            case EXPERTS -> experts();
            case DECODE -> decode() + included(1);
            case PREFILL -> prefill() + included(chunk());
            case LATENT_DECODE -> latentDecode();
            case LATENT_PREFILL -> prefill(number("heads"), number("heads") * (LATENT_QUERY + LATENT_OUTPUT));
            case ALL_REDUCE -> allReduce();
            case COLLECTIVE -> collective();
            case STATE -> new StatePrediction(row, device.states()).micros();
            case HEAD_PRODUCTS -> headProducts();
            case DISPATCH, COMBINE -> exchange();
            case DECODE_MODULE, PREFILL_MODULE -> new ModulePrediction(row, device.layers()).micros();
        };
    }

    /** The absorbed key of latent attention, or the absorbed value. */
    private double headProducts() {
        boolean isKey = row.text("operation").endsWith("pre");
        double n = isKey ? LATENT_RANK : LATENT_OUTPUT;
        double k = isKey ? LATENT_OUTPUT : LATENT_RANK;
        return device.kernels().headProducts(number("tokens"), n, k, number("heads"));
    }

    /** Dispatch of 8-bit values or combination of 16-bit values by the kernels of DeepEP on nodes of equal sizes. */
    private double exchange() {
        double bytes =
                number("tokens") * number("hidden") * (row.kind() == KernelKind.DISPATCH ? 1 + 4.0 / 128 : HALF_BYTES);
        int node = device.links().devicesPerNode() > NODE_DEVICES ? NODE_DEVICES / 2 : NODE_DEVICES;
        int devices = node * (int) number("node_num");
        Links.Routing routing =
                new Links.Routing((int) number("top_k"), Math.min(devices, (int) number("experts")), devices);
        return row.has("dispatch_sms")
                ? device.links().forwarded(bytes, routing, number("dispatch_sms"))
                : device.links().direct(bytes, routing);
    }

    private int gpus() {
        return (int) number("gpus");
    }

    private double bytes() {
        return format().bytes() * number("elements");
    }

    /** The all-reduce of an engine. All engines except vLLM have the faster kernel. */
    private double allReduce() {
        Links links = row.text("engine").equalsIgnoreCase("vllm") ? device.links() : device.fastLinks();
        return links.allReduce(bytes(), gpus());
    }

    /** The engines' all-reduces, and the collectives of the communication library. */
    private double collective() {
        Links links = device.links();
        boolean isLibrary =
                row.implementation().isEmpty() || row.implementation().endsWith("CCL");
        return switch (row.text("operation")) {
            case "all_reduce" -> isLibrary ? links.libraryAllReduce(bytes(), gpus()) : allReduce();
            case "alltoall" -> links.libraryAllToAll(bytes(), gpus());
            default -> links.allGather(bytes(), gpus());
        };
    }

    /** The kernel that quantises the input. Engines fuse it with the operator before the product. */
    private double quantised() {
        boolean isDynamic = format() == Precision.FP8 || format() == Precision.NVFP4;
        return isDynamic ? device.kernels().small((1 + format().bytes() / HALF_BYTES) * number("m") * number("k")) : 0;
    }

    private double experts() {
        double tokens = number("tokens");
        double routed = tokens * number("top_k");
        double rows = routed / number("moe_ep");
        double touched = Math.min(number("experts") / number("moe_ep"), Math.max(1, rows));
        double width = number("ffn") / number("moe_tp");
        double matrices = matrices();
        Kernels.Expert expert = new Kernels.Expert(number("hidden"), width, matrices * number("hidden") * width);
        Kernels kernels = Objects.requireNonNull(device.experts().get(library()));
        return kernels.experts(new Kernels.ExpertLoad(touched, tokens, rows, routed), expert, format())
                + kernels.traffic(HALF_BYTES * matrices * rows * width);
    }

    /** The library that the row names, or that the engine's card states. */
    private ExpertLibrary library() {
        if (row.implementation().equals("vllm_fused_moe")) {
            return ExpertLibrary.TRITON;
        }
        return isEngine("trtllm")
                ? ExpertLibrary.CUTLASS
                : isEngine("vllm") ? ExpertLibrary.DEEP_GEMM : ExpertLibrary.FLASH_INFER;
    }

    /** Matrices of an expert: a column, the name of the kernel, or the shapes of models without gates. */
    private double matrices() {
        if (row.has("matrices")) {
            return number("matrices");
        }
        List<Integer> shape = List.of((int) number("hidden"), (int) number("ffn"), (int) number("top_k"));
        return row.implementation().contains("nongated") || TWO_MATRICES.contains(shape) ? 2 : 3;
    }

    private double decode() {
        double context = context();
        double window = number("window");
        double read = window > 0 && context > window ? window + Kernels.TILE : Kernels.tiled(context);
        double groups = number("kv_heads");
        double width = number("head_dim");
        return device.kernels()
                .decodeAttention(
                        number("batch"), read, groups, 2 * groups * width, cacheBytes(), 4 * number("heads") * width);
    }

    /** Tokens that a new token attends to, with itself. */
    private double context() {
        return row.has("context") ? number("context") + 1 : number("isl") + number("step");
    }

    private double latentDecode() {
        if (isEngine("trtllm") && !hasLatentKernels()) {
            return unsplitLatentDecode();
        }
        return device.kernels()
                .latentAttention(
                        number("batch"),
                        Kernels.tiled(context()),
                        number("heads"),
                        LATENT_CACHED,
                        cacheBytes(),
                        2 * (LATENT_CACHED + LATENT_RANK));
    }

    /** Decode attention in which one multiprocessor reads the context of a sequence, in tiles of 64 tokens. */
    private double unsplitLatentDecode() {
        double batch = number("batch");
        double tokens = batch * Math.ceil(context() / LATENT_TILE) * LATENT_TILE;
        double compute = UNSPLIT_COMPUTE
                * device.kernels()
                        .latentCompute(tokens, number("heads"), HALF_BYTES, 2 * (LATENT_CACHED + LATENT_RANK));
        double busy = Math.min(1, batch / device.card().kernels().multiprocessors());
        return device.card().kernels().attention().attentionUs()
                + Math.max(compute / busy, device.kernels().traffic(tokens * LATENT_CACHED * cacheBytes()));
    }

    /** True if TensorRT-LLM has kernels for latent caches on a device. On others, one multiprocessor reads a context. */
    private boolean hasLatentKernels() {
        HardwareCard card = device.card();
        boolean isNew = card.rates().fp8Tflops().isPresent();
        return isNew && card.memory().memType().startsWith("HBM");
    }

    private double cacheBytes() {
        return row.text("kv_dtype").equals("bfloat16") ? HALF_BYTES : 1;
    }

    private double prefill() {
        return prefill(number("heads"), 2 * number("heads") * number("head_dim"));
    }

    /** Attention of prompts with {@code width} values of queries and outputs in all heads. */
    private double prefill(double heads, double width) {
        double before = row.has("step") ? number("step") : 0;
        double window = row.has("window") ? number("window") : 0;
        double chunk = chunk();
        double keys = before + chunk;
        double pairs = triangle(keys, window) - triangle(before, window);
        double batch = number("batch");
        Kernels kernels = device.kernels();
        if (row.kind() == KernelKind.LATENT_PREFILL) {
            return latentPrefill(pairs, keys, heads, 2 * width);
        }
        return kernels.prefillAttention(pairs, chunk, keys, heads, 2 * width)
                + (batch - 1) * kernels.prefillWork(pairs, chunk, heads, 2 * width);
    }

    /** Latent attention of prompts. Kernels that have no version for prompts read the latent cache. */
    private double latentPrefill(double pairs, double keys, double heads, double flops) {
        double batch = number("batch");
        Kernels kernels = device.kernels();
        if (ABSORBED.contains(row.implementation())) {
            double absorbed = 2 * (LATENT_CACHED + LATENT_RANK) * heads;
            return kernels.prefillAttention(pairs, chunk(), keys, heads, absorbed)
                    + (batch - 1) * kernels.prefillWork(pairs, chunk(), heads, absorbed);
        }
        double expanded = isEngine("sglang") ? EXPANSION_PASSES * HALF_BYTES * batch * chunk() * flops : 0;
        return kernels.latentPrefill(pairs, chunk(), keys, heads, cacheBytes(), flops)
                + (batch - 1) * kernels.latentWork(pairs, chunk(), heads, cacheBytes(), flops)
                + kernels.traffic(expanded);
    }

    private double chunk() {
        return number(row.has("chunk") ? "chunk" : "isl");
    }

    private boolean isEngine(String name) {
        return row.text("engine").equalsIgnoreCase(name);
    }

    /**
     * Kernels before attention that a row contains. SGLang, and vLLM since 0.23, write the cache. TensorRT-LLM also
     * rotates, in two kernels for prompts and on Blackwell since 1.3.0rc18. With an 8-bit cache, SGLang converts queries,
     * keys and values, and vLLM queries.
     *
     * @param tokens new tokens of a sequence
     */
    private double included(double tokens) {
        boolean isVllm = isEngine("vllm");
        if (isVllm && !NewestVersions.isSince(row.text("version"), VLLM_WRITES)) {
            return 0;
        }
        double values = number("batch") * tokens * number("head_dim");
        double queries = values * number("heads");
        double keys = 2 * values * number("kv_heads");
        boolean isPrompt = row.kind() == KernelKind.PREFILL;
        double count = 1;
        double moved = 2 * keys;
        if (!isVllm && !isEngine("sglang")) {
            boolean isTwo =
                    device.card().device().isBlackwell() && NewestVersions.isSince(row.text("version"), TRTLLM_ROTATES);
            count = isPrompt || isTwo ? 2 : 1;
            moved += isPrompt ? 2 * queries : 0;
        } else {
            boolean isConverted = cacheBytes() < HALF_BYTES;
            count += isConverted ? (isVllm ? 0.5 : 2) : 0;
            moved = (isVllm ? SCATTER : 1) * moved
                    + (isConverted ? CONVERSION_PASSES * (queries + (isVllm ? 0 : keys)) : 0);
        }
        return count * device.kernels().small(0) + device.kernels().traffic(HALF_BYTES * moved);
    }

    /** Pairs of each of {@code tokens} tokens with its predecessors and itself, at most {@code window} if positive. */
    private static double triangle(double tokens, double window) {
        double limit = window > 0 ? Math.min(window, tokens) : tokens;
        return limit * (limit + 1) / 2 + (tokens - limit) * limit;
    }

    private Precision format() {
        return format(row.text("dtype"));
    }

    /** The precision with a name of the tables; 16 bits if it is unknown. */
    static Precision format(String name) {
        return FORMATS.getOrDefault(name, Precision.BF16);
    }

    private double number(String column) {
        return row.number(column);
    }
}
