package dev.stagesim.stage.vidurprofile;

import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.BundleRow;
import dev.stagesim.io.bundle.BundleWriter;
import dev.stagesim.io.bundle.Stats;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.AttentionKernels;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.model.hardware.KernelCard;
import dev.stagesim.model.hardware.LinkCard;
import dev.stagesim.model.hardware.ProductKernels;
import dev.stagesim.model.hardware.StepCard;
import dev.stagesim.predict.Operator;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.serving.ComputedGrid;
import dev.stagesim.serving.PredictionQuality;
import dev.stagesim.serving.config.HostOverhead;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.sim.kernels.Sharding;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Writes a bundle with times computed from the model card and the hardware card. */
final class RooflineProfiler {
    private static final String BACKEND = "roofline";
    private static final int VALUE_BYTES = 2;
    private static final int PAIR = 2;
    private static final double MILLIS_PER_MICRO = 1e-3;

    /** Default of predictor.range.kv_granularity. */
    private static final int KV_GRANULARITY = 64;

    private final ModelCard model;
    private final HardwareCard hardware;
    private final ProfileSettings.Roofline settings;
    private final StageContext context;
    private final StepCard engine;
    private final Links links;
    private final ProfileSizes sizes;

    RooflineProfiler(
            ModelCard model,
            HardwareCard hardware,
            ProfileSettings.Roofline settings,
            StepCard engine,
            StageContext context) {
        this.model = model;
        this.hardware = hardware;
        this.settings = settings;
        this.context = context;
        this.engine = engine;
        this.links = new Links(hardware);
        this.sizes = ProfileSizes.of(settings.grid(), context(model));
    }

    void run() throws IOException {
        TreeMap<Integer, LayerTimes> models = models();
        String device = PathPart.slug(hardware.name());
        BundleWriter writer = new BundleWriter(context.out(), model, device, device);
        List<BundleRow.Mlp> mlp = new ArrayList<>();
        List<BundleRow.Attention> attention = new ArrayList<>();
        List<BundleRow.Transfer> allReduce = new ArrayList<>();
        models.forEach((degree, roofline) -> {
            mlp.addAll(mlpRows(degree, roofline));
            attention.addAll(attentionRows(degree, roofline));
            if (degree > 1) {
                allReduce.addAll(allReduceRows(degree, roofline));
            }
        });
        writer.mlp(mlp);
        writer.attention(attention, settings.blockSize(), BACKEND);
        if (!allReduce.isEmpty()) {
            writer.allReduce(allReduce);
        }
        List<BundleRow.Transfer> sendRecv = sendRecvRows();
        if (!sendRecv.isEmpty()) {
            writer.sendRecv(sendRecv);
        }
        if (settings.host() instanceof HostOverhead.Linear host) {
            writer.hostOverheads(hostRows(host, models));
        }
        List<Integer> degrees = List.copyOf(models.keySet());
        PredictionQuality quality = PredictionQuality.ofWritten(
                model, hardware, settings.blockSize(), degrees, settings.quality(), context);
        new RooflineReport(model, hardware, engine, times(1), degrees, sizes, quality).write(context);
    }

    /** Returns the model's context, rounded up to the granularity of the predictors. */
    private static int context(ModelCard model) {
        long limit = ComputedGrid.rounded(model.maxPosition(), KV_GRANULARITY);
        return (int) Math.min(limit, Integer.MAX_VALUE);
    }

    private LayerTimes times(int degree) {
        return new LayerTimes(model, hardware, engine, Sharding.tensor(degree, 1));
    }

    private TreeMap<Integer, LayerTimes> models() {
        TreeMap<Integer, LayerTimes> models = new TreeMap<>();
        List<String> left = new ArrayList<>();
        for (int degree : settings.tensorParallelSizes()) {
            if (!LayerTimes.splits(model, degree)) {
                left.add(degree + " (does not divide the heads or the feed-forward width)");
            } else if (degree > 1 && !links.canLink(degree)) {
                left.add(degree + " (the hardware card has no link for it)");
            } else {
                models.put(degree, times(degree));
            }
        }
        if (models.isEmpty()) {
            throw StageException.input(Problem.config(
                    "profile.tensor_parallel_sizes", "no size can be profiled: " + String.join(", ", left)));
        }
        if (!left.isEmpty()) {
            context.warn("skipped tensor-parallel sizes: " + String.join(", ", left));
        }
        return models;
    }

    private List<BundleRow.Mlp> mlpRows(int degree, LayerTimes roofline) {
        List<BundleRow.Mlp> rows = new ArrayList<>();
        for (int tokens : sizes.tokens()) {
            List<Stats> stats = new ArrayList<>();
            for (String name : BundleTables.MLP_OPERATORS) {
                double ms = name.equals("emb")
                        ? roofline.embedding(tokens)
                        : roofline.milliseconds(Operator.valueOf(name.toUpperCase(Locale.ROOT)), tokens);
                stats.add(Stats.exact(ms));
            }
            rows.add(new BundleRow.Mlp(degree, tokens, stats));
        }
        return rows;
    }

    private List<BundleRow.Attention> attentionRows(int degree, LayerTimes roofline) {
        List<BundleRow.Attention> rows = new ArrayList<>();
        for (int chunk : sizes.chunks()) {
            for (int kv : sizes.kvTokens()) {
                rows.add(attentionRow(degree, 1, chunk, kv, roofline.prefillMilliseconds(kv, chunk), roofline));
            }
        }
        for (int batch : sizes.batchSizes()) {
            for (int kv : sizes.kvTokens()) {
                rows.add(attentionRow(degree, batch, 0, kv, roofline.decodeMilliseconds(batch, kv), roofline));
            }
        }
        return rows;
    }

    private static BundleRow.Attention attentionRow(
            int degree, int batch, int chunk, int kv, double ms, LayerTimes roofline) {
        double write = roofline.milliseconds(Operator.ATTN_KV_CACHE_SAVE, Math.max(batch, chunk));
        return new BundleRow.Attention(degree, batch, chunk, kv, Stats.exact(ms), Stats.exact(write));
    }

    private List<BundleRow.Transfer> allReduceRows(int degree, LayerTimes roofline) {
        List<BundleRow.Transfer> rows = new ArrayList<>();
        for (int tokens : sizes.tokens()) {
            Stats time = Stats.exact(roofline.milliseconds(Operator.ALL_REDUCE, tokens));
            rows.add(new BundleRow.Transfer(degree, degree, links.devicesPerNode(), bytes(tokens), time));
        }
        return rows;
    }

    /** Rows with one device per node use the network; rows with two devices per node use the scale-up link. */
    private List<BundleRow.Transfer> sendRecvRows() {
        List<BundleRow.Transfer> rows = new ArrayList<>();
        LayerTimes pair = times(1);
        for (int tokens : sizes.tokens()) {
            if (links.hasNetwork()) {
                rows.add(sendRecvRow(pair, tokens, false));
            }
            if (links.canLink(PAIR)) {
                rows.add(sendRecvRow(pair, tokens, true));
            }
        }
        return rows;
    }

    private BundleRow.Transfer sendRecvRow(LayerTimes pair, int tokens, boolean sameNode) {
        Stats time =
                Stats.exact(sameNode ? pair.milliseconds(Operator.SEND_RECV, tokens) : pair.sendBetweenNodes(tokens));
        return new BundleRow.Transfer(PAIR, sameNode ? PAIR : 1, links.devicesPerNode(), bytes(tokens), time);
    }

    private long bytes(int tokens) {
        return (long) VALUE_BYTES * tokens * model.shape().hiddenSize();
    }

    private List<BundleRow.Host> hostRows(HostOverhead.Linear host, TreeMap<Integer, LayerTimes> models) {
        List<HostOverhead.Step> steps =
                List.of(host.schedule(), host.sampler(), host.prepareInputs(), host.processOutputs());
        List<BundleRow.Host> rows = new ArrayList<>();
        for (int degree : models.keySet()) {
            for (int batch : sizes.batchSizes()) {
                List<Stats> stats = steps.stream()
                        .map(step -> Stats.exact(milliseconds(step, batch)))
                        .toList();
                rows.add(new BundleRow.Host(degree, batch, stats, milliseconds(host.workerComm(), batch)));
            }
        }
        return rows;
    }

    private static double milliseconds(HostOverhead.Step step, int batch) {
        return MILLIS_PER_MICRO * (step.baseUs() + batch * step.perRequestUs());
    }

    /**
     * Writes the assumptions of a computed profile to {@code summary.md} and {@code provenance.json}, and records its headline
     * metrics.
     */
    private record RooflineReport(
            ModelCard model,
            HardwareCard hardware,
            StepCard engine,
            LayerTimes roofline,
            List<Integer> tensorParallelSizes,
            ProfileSizes sizes,
            PredictionQuality quality) {
        private static final String MICROS = "us";
        private static final int DIGITS = 4;
        private static final int SAMPLE_KV = 1024;
        private static final int SAMPLE_CHUNK = 1024;

        private static final List<Operator> LAYER = List.of(
                Operator.INPUT_LAYERNORM,
                Operator.ATTN_PRE_PROJ,
                Operator.ATTN_ROPE,
                Operator.ATTN_KV_CACHE_SAVE,
                Operator.ATTN_POST_PROJ,
                Operator.POST_ATTENTION_LAYERNORM,
                Operator.MLP_UP_PROJ,
                Operator.MLP_ACT,
                Operator.MLP_DOWN_PROJ,
                Operator.ADD);

        void write(StageContext context) throws IOException {
            summary().summary(context.out());
            quality.write(context.out());
            Json.write(context.out().resolve("provenance.json"), provenance());
            context.headline("decode_step_b1_kv1024_ms", decodeStep(1));
            context.headline("decode_step_b32_kv1024_ms", decodeStep(32));
            context.headline("prefill_1024_ms", prefill());
        }

        /** Returns the time of one decode iteration over all layers on one device. */
        private double decodeStep(int batch) {
            return model.shape().numLayers() * (tokens(batch) + roofline.decodeMilliseconds(batch, SAMPLE_KV));
        }

        /** Returns the time of a prompt over all layers on one device. */
        private double prefill() {
            return model.shape().numLayers() * (tokens(SAMPLE_CHUNK) + roofline.prefillMilliseconds(0, SAMPLE_CHUNK));
        }

        private double tokens(int tokens) {
            return LAYER.stream()
                    .mapToDouble(o -> roofline.milliseconds(o, tokens))
                    .sum();
        }

        private Report summary() {
            Report out = new Report("Profile of " + model.name() + " on " + hardware.name())
                    .answer(
                            "Computed from the cards, not measured. The time of an operator is the maximum of its compute "
                                    + "time and memory time at the rates below, plus a fixed time; specs/step-times.md has the "
                                    + "formulas. Tensor-parallel sizes " + text(tensorParallelSizes) + "; up to "
                                    + last(sizes.tokens()) + " tokens, chunks of " + last(sizes.chunks()) + ", "
                                    + last(sizes.kvTokens()) + " cached tokens, batches of " + last(sizes.batchSizes())
                                    + ".")
                    .table(rates())
                    .table(samples())
                    .tables(quality.tables());
            if (model.isMixtureOfExperts()) {
                out.prose(
                        "Feed-forward times are averaged over dense and mixture-of-experts layers; tokens choose experts "
                                + "independently, with unequal popularity.");
            }
            if (model.window().slidingWindow().isPresent()) {
                out.prose("Attention times are averaged over layers with and without the sliding window.");
            }
            return out;
        }

        private List<Assumption> assumptions() {
            KernelCard kernels = hardware.kernels();
            ProductKernels products = kernels.products();
            AttentionKernels attention = kernels.attention();
            LinkCard link = hardware.link();
            String card = "hardware card: " + hardware.origin().source();
            String kernelSource = kernels.source().orElse("no values for this architecture: defaults");
            String linkSource = link.source().orElse("no values for this link: defaults");
            String engineSource = engine.source().orElse("no engine");
            return List.of(
                    new Assumption("16-bit peak", hardware.bf16OrFp16Tflops().orElseThrow(), "TFLOP/s", card),
                    new Assumption("memory bandwidth", hardware.statedMemBwGbs(), "GB/s", card),
                    new Assumption("link bandwidth", hardware.scaleup().scaleupUniGbs(), "GB/s", card),
                    new Assumption("hardware.kernels.product16", products.product16(), "", kernelSource),
                    new Assumption("hardware.kernels.product_bandwidth", products.productBandwidth(), "", kernelSource),
                    new Assumption("hardware.kernels.product_us", products.productUs(), MICROS, kernelSource),
                    new Assumption(
                            "hardware.kernels.attention_bandwidth", attention.attentionBandwidth(), "", kernelSource),
                    new Assumption(
                            "hardware.kernels.attention_compute", attention.attentionCompute(), "", kernelSource),
                    new Assumption(
                            "hardware.kernels.attention_exponential",
                            attention.attentionExponential(),
                            "operations",
                            kernelSource),
                    new Assumption(
                            "hardware.kernels.attention_query_keys",
                            attention.attentionQueryKeys(),
                            "keys",
                            kernelSource),
                    new Assumption("hardware.kernels.attention_us", attention.attentionUs(), MICROS, kernelSource),
                    new Assumption("hardware.kernels.elementwise_us", kernels.elementwiseUs(), MICROS, kernelSource),
                    new Assumption("hardware.link.all_reduce_us", link.custom().allReduceUs(), MICROS, linkSource),
                    new Assumption("hardware.link.share", link.ring().share(), "", linkSource),
                    new Assumption(
                            "engine.step.elementwise_kernels_per_layer",
                            engine.factors().elementwiseKernelsPerLayer(),
                            "kernels",
                            engineSource),
                    new Assumption(
                            "engine.step.elementwise_time_factor",
                            engine.factors().elementwiseTimeFactor(),
                            "",
                            engineSource));
        }

        private static String text(List<Integer> sizes) {
            return sizes.stream().map(String::valueOf).collect(Collectors.joining(", "));
        }

        private static int last(List<Integer> sizes) {
            return sizes.get(sizes.size() - 1);
        }

        private DataTable rates() {
            DataTable table = new DataTable("Assumptions").columns("figure", "#value", "unit", "source");
            for (Assumption each : assumptions()) {
                table.row(each.name(), Numbers.significant(each.value(), DIGITS), each.unit(), each.source());
            }
            return table;
        }

        private DataTable samples() {
            DataTable table = new DataTable("Time of one layer on one device, ms")
                    .columns("operator", "#1 token", "#32 tokens", "#1024 tokens");
            for (Operator operator : LAYER) {
                table.row(
                        operator.column(),
                        text(roofline.milliseconds(operator, 1)),
                        text(roofline.milliseconds(operator, 32)),
                        text(roofline.milliseconds(operator, SAMPLE_CHUNK)));
            }
            table.row(
                    "attn_decode, 1024 cached",
                    text(roofline.decodeMilliseconds(1, SAMPLE_KV)),
                    text(roofline.decodeMilliseconds(32, SAMPLE_KV)),
                    Numbers.NONE);
            table.row(
                    "attn_prefill, empty cache",
                    Numbers.NONE,
                    Numbers.NONE,
                    text(roofline.prefillMilliseconds(0, SAMPLE_CHUNK)));
            return table;
        }

        private static String text(double ms) {
            return Numbers.significant(ms, DIGITS);
        }

        private JsonValue provenance() {
            return JsonValue.object()
                    .put("profiler", "roofline")
                    .put("model", model.name())
                    .put("model_source", model.origin().source())
                    .put("hardware", hardware.name())
                    .put("hardware_source", hardware.origin().source())
                    .put("measured", false)
                    .put("tensor_parallel_sizes", tensorParallelSizes)
                    .put(
                            "assumptions",
                            JsonValue.of(assumptions().stream()
                                    .map(RooflineReport::json)
                                    .toList()))
                    .build();
        }

        private static JsonValue json(Assumption assumption) {
            JsonObjectBuilder out = JsonValue.object()
                    .put("name", assumption.name())
                    .put("value", assumption.value())
                    .put("source", assumption.source());
            return (assumption.unit().isEmpty() ? out : out.put("unit", assumption.unit())).build();
        }
    }

    /**
     * An assumption of a computed profile.
     *
     * @param name settings key or card key
     * @param value the value
     * @param unit the unit; empty for a share
     * @param source its source
     */
    private record Assumption(String name, double value, String unit, String source) {}
}
