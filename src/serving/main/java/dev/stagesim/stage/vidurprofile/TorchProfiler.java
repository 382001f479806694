package dev.stagesim.stage.vidurprofile;

import dev.stagesim.bench.engine.Scratch;
import dev.stagesim.contract.BundleTables;
import dev.stagesim.io.bundle.BundleRow;
import dev.stagesim.io.bundle.BundleWriter;
import dev.stagesim.io.bundle.Stats;
import dev.stagesim.io.gzip.Resources;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Count;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.PathPart;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.report.DataTable;
import dev.stagesim.report.Numbers;
import dev.stagesim.report.Report;
import dev.stagesim.serving.PredictionQuality;
import dev.stagesim.serving.config.ProfileSettings;
import dev.stagesim.sim.kernels.LayerTimes;
import dev.stagesim.sim.kernels.Links;
import dev.stagesim.stage.StageContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Measures a bundle with {@code torch_profiler.py} in the user's Python. Files are written after the process has exited and its
 * results have been read.
 */
final class TorchProfiler {
    private static final String SCRIPT = "torch_profiler.py";
    private static final String CATEGORY = "profiler error";

    /** The layout assumes two bytes per value of any type. */
    private static final int VALUE_BYTES = 2;

    private final ModelCard model;
    private final HardwareCard hardware;
    private final ProfileSettings.Torch settings;
    private final StageContext context;
    private final ProfileSizes sizes;
    private String error = "";

    TorchProfiler(ModelCard model, HardwareCard hardware, ProfileSettings.Torch settings, StageContext context) {
        this.model = model;
        this.hardware = hardware;
        this.settings = settings;
        this.context = context;
        this.sizes = ProfileSizes.of(settings.grid(), model.maxPosition());
    }

    void run() throws IOException {
        check();
        LocatedJson measured;
        try (Scratch scratch = Scratch.in(context.out())) {
            measured = measure(scratch.dir());
        }
        write(measured);
    }

    private void check() {
        List<Problem> problems = new ArrayList<>();
        if (model.isLatentAttention() || model.isMixtureOfExperts()) {
            String what = model.isLatentAttention() ? "latent attention" : "a mixture of experts";
            problems.add(Problem.config(
                            "model", model.name() + " has " + what + ", which profile.profiler=torch does not support")
                    .hint(
                            model.isLatentAttention()
                                    ? "choose another model; Vidur's layout does not support latent attention"
                                    : "choose a dense model, or profile.profiler=roofline or import"));
        }
        if (settings.tensorParallelSizes().isEmpty()) {
            problems.add(
                    Problem.config("profile.tensor_parallel_sizes", "the list is empty, expected at least one size"));
        }
        for (int degree : new TreeSet<>(settings.tensorParallelSizes())) {
            if (!LayerTimes.splits(model, degree)) {
                problems.add(Problem.config(
                        "profile.tensor_parallel_sizes",
                        degree + " does not divide the heads or the feed-forward width of " + model.name()));
            }
        }
        if (settings.threads().isPresent() && settings.device() == ProfileSettings.TorchDevice.CUDA) {
            problems.add(Problem.config("profile.threads", "has no effect with profile.device=cuda")
                    .hint("leave it out"));
        }
        StageException.refuse(problems);
    }

    private LocatedJson measure(Path folder) throws IOException {
        Path script = folder.resolve(SCRIPT);
        Files.writeString(script, Resources.text(TorchProfiler.class, SCRIPT));
        Path request = folder.resolve("request.json");
        Path result = folder.resolve("result.json");
        Json.write(request, request());
        PythonChild child = new PythonChild(
                folder, settings.timeouts().timeoutS(), settings.timeouts().stallS());
        int code = child.run(
                List.of(settings.python(), script.toString(), request.toString(), result.toString()), this::line);
        if (code != 0 || !Files.exists(result)) {
            throw failure(code, child.complaint());
        }
        return Json.read(result);
    }

    /**
     * Parses a line {@code progress DONE TOTAL WHAT} or {@code error KIND MESSAGE}; other lines are output of the interpreter.
     */
    private void line(String line) {
        String[] words = line.split(" ", 4);
        if (words.length == 4 && words[0].equals("progress") && (words[1] + words[2]).matches("[0-9]{2,18}")) {
            context.progress("measuring " + words[3], Long.parseLong(words[1]), Long.parseLong(words[2]));
        } else if (words[0].equals("error")) {
            error = line.substring("error ".length());
        }
    }

    private StageException failure(int code, String complaint) {
        if (error.startsWith("torch ")) {
            return StageException.input(Problem.config(
                            "profile.python",
                            "'" + settings.python() + "' has no PyTorch: " + error.substring("torch ".length()))
                    .hint(
                            "install it (pip install torch, or Debian's python3-torch), or select an interpreter that has "
                                    + "it: profile.python=/usr/bin/python3"));
        }
        if (error.startsWith("cuda ")) {
            return StageException.input(
                    Problem.config("profile.device", "no CUDA: " + error.substring("cuda ".length()))
                            .hint("install a CUDA build of PyTorch and a driver, or set profile.device=cpu"));
        }
        Problem problem = error.isEmpty()
                ? Problem.of(
                                CATEGORY,
                                settings.python(),
                                "the profiler exited with code " + code + " without a message")
                        .hint("profile.python must be a Python 3 interpreter; check it with --version")
                : Problem.of(CATEGORY, settings.python(), error);
        return StageException.failed(complaint.isEmpty() ? problem : problem.note("python", complaint));
    }

    private JsonValue request() {
        return JsonValue.object()
                .put("device", name(settings.device()))
                .put("dtype", name(settings.dtype()))
                .put("threads", (long) settings.threads().orElse(0))
                .put("warmup", (long) settings.runs().warmup())
                .put("repeats", (long) settings.runs().repeats())
                .put("tokens", sizes.tokens())
                .put("chunks", sizes.chunks())
                .put("kv_tokens", sizes.kvTokens())
                .put("batch_sizes", sizes.batchSizes())
                .put("tensor_parallel_sizes", degrees())
                .put("pipeline_parallel", settings.pipelineParallel())
                .put(
                        "model",
                        JsonValue.object()
                                .put("hidden_size", (long) model.shape().hiddenSize())
                                .put("head_dim", (long) model.shape().headDim())
                                .put("num_heads", (long) model.shape().numHeads())
                                .put("num_kv_heads", (long) model.shape().numKvHeads())
                                .put("ffn_dim", (long) model.shape().ffnDim())
                                .put("gated_mlp", model.gatedMlp())
                                .put("vocab_size", (long) model.shape().vocabSize())
                                .put("qk_norm", model.shape().qkNorm())
                                .build())
                .build();
    }

    private List<Integer> degrees() {
        return List.copyOf(new TreeSet<>(settings.tensorParallelSizes()));
    }

    private static String name(Enum<?> value) {
        return KeyNames.constant(value);
    }

    private void write(LocatedJson result) throws IOException {
        List<BundleRow.Mlp> mlp = new ArrayList<>();
        for (LocatedJson row : result.get("mlp").items()) {
            LocatedJson stats = row.get("stats");
            mlp.add(new BundleRow.Mlp(
                    row.get("tensor_parallel").asInt(),
                    row.get("tokens").asInt(),
                    BundleTables.MLP_OPERATORS.stream()
                            .map(name -> measured(stats.get(name)))
                            .toList()));
        }
        List<BundleRow.Attention> attention = new ArrayList<>();
        for (LocatedJson row : result.get("attention").items()) {
            attention.add(new BundleRow.Attention(
                    row.get("tensor_parallel").asInt(),
                    row.get("batch").asInt(),
                    row.get("chunk").asInt(),
                    row.get("kv").asInt(),
                    measured(row.get("time")),
                    measured(row.get("cache_write"))));
        }
        if (mlp.isEmpty() || attention.isEmpty()) {
            throw StageException.failed(Problem.of(CATEGORY, "profile.grid", "no case fits the memory of the device"));
        }
        String device = PathPart.slug(hardware.name());
        BundleWriter writer = new BundleWriter(context.out(), model, device, device);
        LocatedJson about = result.get("environment");
        writer.mlp(mlp);
        writer.attention(
                attention,
                settings.blockSize(),
                "torch_" + about.get("attention").asString());
        transfers(writer, result.get("transfers"));
        PredictionQuality quality = PredictionQuality.ofWritten(
                model, hardware, settings.blockSize(), degrees(), settings.quality(), context);
        new TorchReport(model, hardware, settings, about, quality)
                .write(
                        context,
                        mlp,
                        attention,
                        result.get("left_out").asStrings(),
                        result.get("not_measured").asStrings());
    }

    /** Writes the communication times between processes or devices of this machine, all within one node. */
    private void transfers(BundleWriter writer, LocatedJson measured) throws IOException {
        List<BundleRow.Transfer> allReduce = new ArrayList<>();
        List<BundleRow.Transfer> sendRecv = new ArrayList<>();
        for (LocatedJson row : measured.items()) {
            int workers = row.get("workers").asInt();
            long bytes = (long) VALUE_BYTES
                    * row.get("tokens").asInt()
                    * model.shape().hiddenSize();
            int perNode = Math.max(workers, new Links(hardware).devicesPerNode());
            boolean all = row.get("what").asString().equals("all_reduce");
            (all ? allReduce : sendRecv)
                    .add(new BundleRow.Transfer(workers, workers, perNode, bytes, measured(row.get("time"))));
        }
        if (!allReduce.isEmpty()) {
            writer.allReduce(allReduce);
        }
        if (!sendRecv.isEmpty()) {
            writer.sendRecv(sendRecv);
        }
    }

    private static Stats measured(LocatedJson at) {
        double[] ms = at.asDoubles();
        if (ms.length != 5) {
            throw at.expected("[min, max, mean, median, std]");
        }
        return new Stats(ms[0], ms[1], ms[2], ms[3], ms[4]);
    }

    /** Writes the environment of a measured profile to {@code summary.md} and {@code provenance.json}. */
    private record TorchReport(
            ModelCard model,
            HardwareCard hardware,
            ProfileSettings.Torch settings,
            LocatedJson environment,
            PredictionQuality quality) {
        private static final int DIGITS = 4;

        void write(
                StageContext context,
                List<BundleRow.Mlp> mlp,
                List<BundleRow.Attention> attention,
                List<String> leftOut,
                List<String> notMeasured)
                throws IOException {
            List<String> warnings = warnings(leftOut, notMeasured);
            warnings.forEach(context::warn);
            quality.write(context.out());
            summary(mlp, warnings).summary(context.out());
            Json.write(
                    context.out().resolve("provenance.json"),
                    JsonValue.object()
                            .put("profiler", "torch")
                            .put("model", model.name())
                            .put("hardware", hardware.name())
                            .put("measured", true)
                            .put("repeats", (long) settings.runs().repeats())
                            .put("warmup", (long) settings.runs().warmup())
                            .put("environment", environment.value())
                            .put("left_out", JsonValue.strings(leftOut))
                            .put("not_measured", JsonValue.strings(notMeasured))
                            .build());
            context.headline("token_rows", mlp.size());
            context.headline("attention_rows", attention.size());
            context.headline("layer_32_tokens_ms", layer(mlp, 32));
        }

        private List<String> warnings(List<String> leftOut, List<String> notMeasured) {
            List<String> warnings = new ArrayList<>();
            String device = environment.get("device").asString();
            warnings.add("measured on '" + device + "' ("
                    + environment.get("device_type").asString() + "), stored as hardware '" + hardware.name() + "'");
            if (!leftOut.isEmpty()) {
                warnings.add(leftOut.size() + " sizes exceeded the memory of the device: "
                        + leftOut.stream().limit(3).collect(Collectors.joining(", "))
                        + (leftOut.size() > 3 ? ", ..." : ""));
            }
            if (model.window().slidingWindow().isPresent()) {
                warnings.add("attention is measured over the whole context, without the model's sliding windows");
            }
            if (!notMeasured.isEmpty()) {
                warnings.add("not measured: " + String.join("; ", notMeasured)
                        + "; copy network/ from another bundle for them");
            }
            return warnings;
        }

        /** Returns the time of a layer's token operators at the size nearest to {@code tokens}, on one device. */
        private static double layer(List<BundleRow.Mlp> rows, int tokens) {
            BundleRow.Mlp nearest = nearest(rows, tokens);
            double sum = 0;
            for (int i = 1; i < nearest.operators().size(); i++) {
                sum += nearest.operators().get(i).median();
            }
            return sum;
        }

        private static BundleRow.Mlp nearest(List<BundleRow.Mlp> rows, int tokens) {
            BundleRow.Mlp best = rows.get(0);
            for (BundleRow.Mlp row : rows) {
                boolean nearer = Math.abs(row.tokens() - tokens) < Math.abs(best.tokens() - tokens);
                best = row.tensorParallel() == best.tensorParallel() && nearer ? row : best;
            }
            return best;
        }

        private Report summary(List<BundleRow.Mlp> mlp, List<String> warnings) {
            return new Report("Profile of " + model.name() + " on " + hardware.name())
                    .answer("Measured with PyTorch " + environment.get("torch").asString() + ", "
                            + environment.get("dtype").asString() + ", medians of "
                            + settings.runs().repeats()
                            + " runs after "
                            + settings.runs().warmup()
                            + ". The cache is contiguous, not paged; specs/profiling.md has the cases.")
                    .table(samples(mlp))
                    .tables(quality.tables())
                    .items(warnings);
        }

        private static DataTable samples(List<BundleRow.Mlp> rows) {
            List<BundleRow.Mlp> shown = List.of(nearest(rows, 1), nearest(rows, 64), nearest(rows, 1024));
            DataTable table = new DataTable("Median time of one layer on one device, ms").text("operator");
            List<BundleRow.Mlp> distinct = shown.stream().distinct().toList();
            distinct.forEach(row -> table.number(Count.of(row.tokens(), "token")));
            for (int i = 0; i < BundleTables.MLP_OPERATORS.size(); i++) {
                List<String> cells = new ArrayList<>(List.of(BundleTables.MLP_OPERATORS.get(i)));
                for (BundleRow.Mlp row : distinct) {
                    cells.add(Numbers.significant(row.operators().get(i).median(), DIGITS));
                }
                table.row(cells.toArray(String[]::new));
            }
            return table;
        }
    }
}
