package dev.stagesim.io.bundle;

import dev.stagesim.io.csv.LegacyDecimal;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.predict.Curve;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.Profile;
import dev.stagesim.predict.Surface;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.IntPredicate;
import java.util.stream.Collectors;

/**
 * Reads the rows of a bundle in Vidur's layout that apply to one request.
 *
 * <p>Times come from the median or mean columns in milliseconds. All missing parts are reported at once.
 */
public final class BundleReader {
    private static final List<Operator> MLP = List.of(
            Operator.ATTN_PRE_PROJ,
            Operator.ATTN_POST_PROJ,
            Operator.ATTN_ROPE,
            Operator.MLP_UP_PROJ,
            Operator.MLP_DOWN_PROJ,
            Operator.MLP_ACT,
            Operator.INPUT_LAYERNORM,
            Operator.POST_ATTENTION_LAYERNORM,
            Operator.ADD);

    /** Optional operators; a missing one takes no time. */
    private static final Set<Operator> OPTIONAL = Set.of(
            Operator.INPUT_LAYERNORM, Operator.POST_ATTENTION_LAYERNORM, Operator.ADD, Operator.ATTN_KV_CACHE_SAVE);

    private static final List<Operator> HOST = List.of(
            Operator.SCHEDULE,
            Operator.SAMPLER_E2E,
            Operator.PREPARE_INPUTS_E2E,
            Operator.PROCESS_MODEL_OUTPUTS,
            Operator.RAY_COMM_TIME);

    /**
     * Number of devices per node in rows of transfers within a node. Pipeline stages on several nodes use rows with one
     * device per node.
     */
    private static final int SAME_NODE = 2;

    private static final int BYTES_PER_VALUE = 2;

    private final BundleRequest request;
    private final BundleLayout layout;
    private final List<Problem> problems = new ArrayList<>();
    private final List<String> warnings = new ArrayList<>();
    private final List<Path> files = new ArrayList<>();
    private final Map<Operator, Curve> curves = new EnumMap<>(Operator.class);

    private BundleReader(Path root, BundleRequest request) {
        this.request = request;
        this.layout = new BundleLayout(root);
    }

    /** Reads the rows of {@code request} from the bundle in {@code root}. */
    public static Bundle read(Path root, BundleRequest request) throws IOException {
        return new BundleReader(root, request).bundle();
    }

    public static List<Path> files(Path root, BundleRequest request) throws IOException {
        BundleLayout layout = new BundleLayout(root);
        String device = layout.device(request);
        String model = layout.model(request, device);
        List<Path> files = new ArrayList<>(List.of(layout.mlp(device, model), layout.attention(device, model)));
        if (request.needsAllReduce()) {
            found(() -> layout.allReduce(layout.network(request))).ifPresent(files::add);
        }
        if (request.needsSendRecv()) {
            found(() -> layout.sendRecv(layout.network(request))).ifPresent(files::add);
        }
        if (request.hostOverheads()) {
            found(() -> layout.hostOverheads(layout.hostNetwork(request), model))
                    .ifPresent(files::add);
        }
        return files.stream().filter(Files::isRegularFile).toList();
    }

    private interface PathSupplier {
        Path path() throws IOException;
    }

    /** Returns the path, or empty if its folder is ambiguous; reading reports that error with all others. */
    private static Optional<Path> found(PathSupplier place) throws IOException {
        try {
            return Optional.of(place.path());
        } catch (StageException e) {
            return Optional.empty();
        }
    }

    /** True if the bundle has host overheads for the model, device and tensor-parallel size of the request. */
    public static boolean hasHostOverheads(Path root, BundleRequest request) throws IOException {
        BundleLayout layout = new BundleLayout(root);
        try {
            String model = layout.model(request, layout.device(request));
            Path file = layout.hostOverheads(layout.hostNetwork(request), model);
            String degree = "tensor_parallel_degree";
            return Files.isRegularFile(file)
                    && !ProfileRows.open(file, List.of(degree), new ArrayList<>())
                            .where(degree, request.tensorParallel())
                            .broken();
        } catch (StageException e) {
            return false; // reading the bundle reports other missing parts
        }
    }

    /**
     * Returns the time from a request's arrival until it can be scheduled in ms, or 0 if the bundle does not state it.
     */
    public static double requestMs(Path root, BundleRequest request) throws IOException {
        BundleLayout layout = new BundleLayout(root);
        Path file;
        try {
            file = layout.requestOverheads(layout.hostNetwork(request), layout.model(request, layout.device(request)));
        } catch (StageException e) {
            return 0; // reading the bundle reports other missing parts
        }
        if (!Files.isRegularFile(file)) {
            return 0;
        }
        List<Problem> problems = new ArrayList<>();
        String degree = "tensor_parallel_degree";
        ProfileRows rows = ProfileRows.open(file, List.of(degree, "request_ms"), problems);
        rows.where(degree, request.tensorParallel());
        StageException.refuse(problems);
        return rows.table().number(rows.rows().get(0), "request_ms");
    }

    private Bundle bundle() throws IOException {
        String device = layout.device(request);
        String model = layout.model(request, device);
        attempt(() -> mlp(layout.mlp(device, model)));
        Attention attention = new Attention();
        attempt(() -> attention.read(layout.attention(device, model)));
        if (request.needsAllReduce()) {
            attempt(() -> allReduce(layout.allReduce(layout.network(request))));
        }
        if (request.needsSendRecv()) {
            attempt(() -> sendRecv(layout.sendRecv(layout.network(request))));
        }
        if (request.hostOverheads()) {
            attempt(() -> hostOverheads(layout.hostOverheads(layout.hostNetwork(request), model), model));
        }
        StageException.refuse(problems);
        String name = device + "/" + model + " with tensor_parallel_size " + request.tensorParallel();
        Profile profile = new Profile(name, curves, found(attention.prefill), found(attention.decode));
        return new Bundle(profile, device, model, files, warnings);
    }

    private static Surface found(Optional<Surface> surface) {
        return surface.orElseThrow(() -> new IllegalStateException("attention rows missing without a problem"));
    }

    private interface Reading {
        void run() throws IOException;
    }

    /** Collects the problems of one file, so that the next files are still read. */
    private void attempt(Reading reading) throws IOException {
        try {
            reading.run();
        } catch (StageException e) {
            problems.addAll(e.problems());
        }
    }

    private void mlp(Path file) throws IOException {
        ModelCard model = request.model();
        List<String> required =
                new ArrayList<>(List.of(("n_head n_kv_head n_embd n_expanded_embd use_gated_mlp vocab_size num_tokens "
                                + "num_tensor_parallel_workers")
                        .split(" ", 0)));
        MLP.stream().filter(o -> !OPTIONAL.contains(o)).map(this::column).forEach(required::add);
        ProfileRows rows = open(file, required)
                .where("n_head", model.shape().numHeads())
                .where("n_kv_head", model.shape().numKvHeads())
                .where("n_embd", model.shape().hiddenSize())
                .where("n_expanded_embd", model.shape().ffnDim())
                .where("use_gated_mlp", model.gatedMlp() ? "true" : "false");
        request.cells().vocabSize().ifPresent(size -> rows.where("vocab_size", size));
        headDim(rows);
        rows.where("num_tensor_parallel_workers", request.tensorParallel());
        for (Operator operator : MLP) {
            boolean optional = operator == Operator.POST_ATTENTION_LAYERNORM
                    && !model.shape().postAttentionNorm();
            curve(operator, rows, "num_tokens", column(operator), 1.0, optional);
        }
        unread(rows);
    }

    /** Checks operators that no model uses, such as the embedding. Their errors become warnings. */
    private void unread(ProfileRows rows) {
        if (rows.broken()) {
            return;
        }
        Set<String> read = MLP.stream().map(this::column).collect(Collectors.toSet());
        for (String column : rows.table().columns()) {
            if (column.matches("time_stats\\..*\\." + statistic()) && !read.contains(column)) {
                List<Integer> odd = rows.rows().stream()
                        .filter(row -> !isTime(rows.table().text(row, column)))
                        .toList();
                if (!odd.isEmpty()) {
                    warnings.add(rows.table().where(odd.get(0)) + ": column '" + column + "' is '"
                            + rows.table().text(odd.get(0), column) + "', which is no time in ms (" + odd.size()
                            + " of " + rows.rows().size() + " rows); no predicted time depends on this column");
                }
            }
        }
    }

    private static boolean isTime(String text) {
        try {
            double ms = Double.parseDouble(text);
            return ms >= 0 && !Double.isInfinite(ms);
        } catch (NumberFormatException e) {
            return false;
        }
    }

    /**
     * Filters by head width, a column that Vidur's files do not have. The width does not follow from the other columns.
     */
    private void headDim(ProfileRows rows) {
        if (rows.has("head_dim")) {
            rows.where("head_dim", request.model().shape().headDim());
        } else if (request.model().shape().headDim() * request.model().shape().numHeads()
                        != request.model().shape().hiddenSize()
                && !rows.broken()) {
            warnings.add(rows.file() + ": head_dim is not recorded; it is "
                    + request.model().shape().headDim()
                    + " in the model card, and a profiler that takes hidden_size / num_heads measures something else");
        }
    }

    /** Reads attention rows into two surfaces and the cache-write curve. */
    private final class Attention {
        private Optional<Surface> prefill = Optional.empty();
        private Optional<Surface> decode = Optional.empty();

        void read(Path file) throws IOException {
            ModelCard model = request.model();
            ProfileRows rows = open(
                            file,
                            List.of(
                                    "n_embd",
                                    "n_q_head",
                                    "n_kv_head",
                                    "block_size",
                                    "num_tensor_parallel_workers",
                                    "batch_size",
                                    "prefill_chunk_size",
                                    "kv_cache_size",
                                    column(Operator.ATTN_PREFILL),
                                    column(Operator.ATTN_DECODE)))
                    .where("n_embd", model.shape().hiddenSize())
                    .where("n_q_head", model.shape().numHeads())
                    .where("n_kv_head", model.shape().numKvHeads());
            headDim(rows);
            rows.where("block_size", blockSize(rows)).where("num_tensor_parallel_workers", request.tensorParallel());
            if (rows.broken()) {
                return;
            }
            prefill = surface(rows, Operator.ATTN_PREFILL, "prefill_chunk_size", chunk -> chunk != 0);
            decode = surface(rows, Operator.ATTN_DECODE, "batch_size", chunk -> chunk == 0);
            cacheWrite(rows);
        }

        /** Returns the nearest block size of the rows, because times hardly depend on it. Vidur uses only equal sizes. */
        private int blockSize(ProfileRows rows) {
            int wanted = request.blockSize();
            int nearest = request.cells().vidurRules() || rows.broken()
                    ? wanted
                    : rows.rows().stream()
                            .map(row -> rows.table().integer(row, "block_size"))
                            .min(Comparator.comparingInt(size -> Math.abs(size - wanted)))
                            .orElse(wanted);
            if (nearest != wanted) {
                warnings.add(rows.file() + ": no row has block_size = " + wanted
                        + ", so the attention times are those of " + nearest);
            }
            return nearest;
        }

        private Optional<Surface> surface(ProfileRows rows, Operator operator, String count, IntPredicate isChunk) {
            List<Integer> chosen = rows.rows().stream()
                    .filter(row -> isChunk.test(rows.table().integer(row, "prefill_chunk_size")))
                    .filter(row -> usable(rows, row, operator, column(operator)))
                    .toList();
            if (chosen.isEmpty()) {
                rows.none("no rows for " + operator.column() + ", expected some with prefill_chunk_size "
                        + (operator == Operator.ATTN_DECODE ? "= 0" : "> 0"));
                return Optional.empty();
            }
            int[] kv = chosen.stream()
                    .mapToInt(row -> rows.table().integer(row, "kv_cache_size"))
                    .toArray();
            int[] counts = chosen.stream()
                    .mapToInt(row -> rows.table().integer(row, count))
                    .toArray();
            double[] ms = chosen.stream()
                    .mapToDouble(row -> milliseconds(rows, row, column(operator)))
                    .toArray();
            return Optional.of(new Surface(kv, counts, ms));
        }

        /** Reads the cache-write curve; every attention row measures the cache write of the tokens of its step. */
        private void cacheWrite(ProfileRows rows) {
            String column = column(Operator.ATTN_KV_CACHE_SAVE);
            if (!rows.has(column)) {
                curves.put(Operator.ATTN_KV_CACHE_SAVE, Curve.zero(rows.rows().size()));
                warnings.add(rows.file() + ": no column '" + column + "': the operator takes no time");
                return;
            }
            List<Integer> chosen = rows.rows().stream()
                    .filter(row -> usable(rows, row, Operator.ATTN_KV_CACHE_SAVE, column))
                    .toList();
            double[] tokens = chosen.stream()
                    .mapToDouble(row -> Math.max(
                            rows.table().integer(row, "prefill_chunk_size"),
                            rows.table().integer(row, "batch_size")))
                    .toArray();
            put(Operator.ATTN_KV_CACHE_SAVE, rows, chosen, tokens, column);
        }
    }

    private void allReduce(Path file) throws IOException {
        ProfileRows rows = network(file, Operator.ALL_REDUCE)
                .where("num_workers", request.tensorParallel())
                .where("devices_per_node", request.tensorParallel());
        curve(Operator.ALL_REDUCE, rows, "size", column(Operator.ALL_REDUCE), bytesPerToken(), false);
    }

    private void sendRecv(Path file) throws IOException {
        ProfileRows rows = network(file, Operator.SEND_RECV);
        if (rows.broken() || rows.rows().isEmpty()) {
            return;
        }
        int perNode = rows.table().integer(rows.rows().get(0), "max_devices_per_node");
        boolean severalNodes = request.tensorParallel() * request.pipelineStages() > perNode;
        rows.where("devices_per_node", severalNodes ? 1 : SAME_NODE);
        curve(Operator.SEND_RECV, rows, "size", column(Operator.SEND_RECV), bytesPerToken(), false);
    }

    private ProfileRows network(Path file, Operator operator) throws IOException {
        return open(file, List.of("num_workers", "size", "devices_per_node", "max_devices_per_node", column(operator)));
    }

    private double bytesPerToken() {
        return (double) BYTES_PER_VALUE * request.model().shape().hiddenSize();
    }

    private void hostOverheads(Path file, String model) throws IOException {
        List<String> required = new ArrayList<>(List.of("model_name", "tensor_parallel_degree", "batch_size"));
        HOST.stream().map(this::hostColumn).forEach(required::add);
        ProfileRows rows = open(file, required);
        if (!rows.broken() && rows.distinct("model_name") > 1) {
            rows.where("model_name", model);
        }
        rows.where("tensor_parallel_degree", request.tensorParallel());
        for (Operator operator : HOST) {
            curve(operator, rows, "batch_size", hostColumn(operator), 1.0, false);
        }
    }

    private ProfileRows open(Path file, List<String> required) throws IOException {
        ProfileRows rows = ProfileRows.open(file, required, problems);
        files.add(file);
        return rows;
    }

    /** Adds the curve of an operator. Sizes are the values of the column divided by {@code unit}. */
    private void curve(
            Operator operator, ProfileRows rows, String sizeColumn, String column, double unit, boolean optional) {
        if (rows.broken()) {
            return;
        }
        if (!rows.has(column)) {
            curves.put(operator, Curve.zero(rows.rows().size()));
            if (!optional) {
                warnings.add(rows.file() + ": no column '" + column + "': the operator takes no time");
            }
            return;
        }
        List<Integer> chosen = rows.rows().stream()
                .filter(row -> usable(rows, row, operator, column))
                .toList();
        double[] sizes = chosen.stream()
                .mapToDouble(row -> rows.table().number(row, sizeColumn) / unit)
                .toArray();
        put(operator, rows, chosen, sizes, column);
    }

    private void put(Operator operator, ProfileRows rows, List<Integer> chosen, double[] sizes, String column) {
        int skipped = rows.rows().size() - chosen.size();
        if (chosen.isEmpty()) {
            rows.none("every value of '" + column + "' is empty");
            return;
        }
        if (skipped > 0) {
            warnings.add(rows.file() + ": " + skipped + " of " + rows.rows().size() + " rows have no '" + column
                    + "' and are left out");
        }
        double[] ms = chosen.stream()
                .mapToDouble(row -> milliseconds(rows, row, column))
                .toArray();
        curves.put(operator, new Curve(sizes, ms));
    }

    private boolean usable(ProfileRows rows, int row, Operator operator, String column) {
        if (!rows.table().isEmpty(row, column)) {
            return true;
        }
        if (request.cells().vidurRules() && !OPTIONAL.contains(operator)) {
            throw StageException.input(Problem.artifact(
                    rows.table().where(row), "column '" + column + "' is empty, expected a time in ms"));
        }
        return request.cells().vidurRules();
    }

    private double milliseconds(ProfileRows rows, int row, String column) {
        if (rows.table().isEmpty(row, column)) {
            return 0;
        }
        double exact = rows.table().number(row, column);
        double ms =
                request.cells().vidurRules() ? LegacyDecimal.parse(rows.table().text(row, column)) : exact;
        if (ms < 0) {
            throw StageException.input(Problem.artifact(
                    rows.table().where(row),
                    "column '" + column + "' is " + ms + ", expected a time of at least 0 ms"));
        }
        return ms;
    }

    private String column(Operator operator) {
        return "time_stats." + operator.column() + "." + statistic();
    }

    private String statistic() {
        return request.cells().means() ? "mean" : "median";
    }

    private String hostColumn(Operator operator) {
        return operator == Operator.RAY_COMM_TIME ? "ray_comm_time_mean" : operator.column() + "_" + statistic();
    }
}
