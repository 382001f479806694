package dev.stagesim.verify.vidur;

import static java.util.Map.entry;

import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.times.TimesFolder;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.Confidence;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.predict.LinearRegression;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.Profile;
import dev.stagesim.predict.RandomForest;
import dev.stagesim.predict.Range;
import dev.stagesim.predict.TableTimes;
import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.sim.serving.spec.ModelShape;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Trains predictors from a bundle according to a table's provenance, and compares every entry with the exported table.
 */
final class RebuiltTable {
    private static final double MIN_MS = 1e-3;

    private final Path folder;
    private final Path bundles;
    private final boolean forests;
    private double maxError;
    private long compared;
    private long equal;
    private String firstDifference = "";

    RebuiltTable(Path folder, Path bundles) throws IOException {
        this.folder = folder;
        this.bundles = bundles;
        this.forests = isForest(folder);
    }

    /**
     * True if the table was exported from random forests. Tables of linear regression cannot be rebuilt bit for bit.
     */
    static boolean isForest(Path folder) throws IOException {
        LocatedJson run =
                Json.read(folder.resolve("provenance.json")).get("runs").items().get(0);
        return run.get("predictor").get("type").asString().equals("random_forest");
    }

    void run() throws IOException {
        LocatedJson provenance = Json.read(folder.resolve("provenance.json"));
        for (LocatedJson run : provenance.get("runs").items()) {
            LocatedJson predictor = run.get("predictor");
            int granularity = predictor.get("kv_cache_prediction_granularity").asInt();
            OperatorTimes expected = ExportedTables.read(folder, granularity);
            List<Operator> order = run.get("trained_in_order").asStrings().stream()
                    .map(name -> Operator.valueOf(name.toUpperCase(Locale.ROOT)))
                    .toList();
            Range range = range(expected.coverage());
            Profile profile = profile(run, order);
            OperatorTimes ours = forests
                    ? TableTimes.of(granularity, forest(run, range).train(profile, order))
                    : linear(run, range).fit(profile);
            // a run that failed at the start may have left a table that was not exported
            order.stream().filter(this::exported).forEach(operator -> compare(operator, ours, expected));
        }
    }

    private boolean exported(Operator operator) {
        return TimesFolder.file(folder, operator).isPresent();
    }

    private static Range range(OperatorTimes.Coverage coverage) {
        return new Range(
                coverage.kvGranularity(),
                OptionalInt.of(coverage.maxTokens()),
                OptionalInt.of(coverage.maxBatch()),
                OptionalInt.of(coverage.maxKvTokens()),
                OptionalInt.of(coverage.maxChunkTokens()));
    }

    private static RandomForest forest(LocatedJson run, Range range) {
        LocatedJson predictor = run.get("predictor");
        return new RandomForest(
                range,
                RandomForest.grid(
                        integers(predictor.get("num_estimators")),
                        integers(predictor.get("max_depth")),
                        integers(predictor.get("min_samples_split"))),
                predictor.get("k_fold_cv_splits").asInt(),
                run.get("numpy_seed").asLong(),
                seed -> Mt19937.numpySeed(seed)::masked);
    }

    private static LinearRegression linear(LocatedJson run, Range range) {
        LocatedJson predictor = run.get("predictor");
        return new LinearRegression(
                range,
                LinearRegression.grid(
                        booleans(predictor.get("fit_intercept")),
                        integers(predictor.get("polynomial_degree")),
                        booleans(predictor.get("polynomial_include_bias")),
                        booleans(predictor.get("polynomial_interaction_only"))),
                predictor.get("k_fold_cv_splits").asInt(),
                true);
    }

    /** On the reference's command line every element of a list of booleans is true. */
    private static List<Boolean> booleans(LocatedJson values) {
        return values.items().stream().map(value -> true).toList();
    }

    private static List<Integer> integers(LocatedJson values) {
        return values.items().stream().map(LocatedJson::asInt).toList();
    }

    private Profile profile(LocatedJson run, List<Operator> order) throws IOException {
        String model = run.get("model").asString();
        String device = run.get("device").asString();
        int tensorParallel = run.get("tensor_parallel_size").asInt();
        boolean severalNodes = folder.getFileName().toString().contains("_mn_");
        int stages = order.contains(Operator.SEND_RECV) ? (severalNodes ? 1024 : 2) : 1;
        BundleRequest request = BundleRequest.of(VidurCards.model(model), device)
                .in(
                        Optional.of(device),
                        Optional.of(model),
                        Optional.of(run.get("network_device").asString()))
                .onDevices(tensorParallel, stages)
                .withBlockSize(run.get("block_size").asInt())
                .withHostOverheads(order.contains(Operator.SCHEDULE))
                .asVidur(VidurCards.model(model).shape().vocabSize());
        return BundleReader.read(bundles, request).profile();
    }

    private void compare(Operator operator, OperatorTimes ours, OperatorTimes expected) {
        OperatorTimes.Coverage keys = expected.coverage();
        int step = keys.kvGranularity();
        switch (operator.key()) {
            case TOKENS -> single(operator, keys.maxTokens(), ours, expected);
            case REQUESTS -> single(operator, keys.maxBatch(), ours, expected);
            case BATCH_AND_KV -> {
                for (int n = 1; n <= keys.maxBatch(); n++) {
                    for (int kv = 0; kv <= keys.maxKvTokens(); kv += step) {
                        compare(operator, n, kv, ours.decodeMilliseconds(n, kv), expected.decodeMilliseconds(n, kv));
                    }
                }
            }
            case KV_AND_CHUNK -> {
                for (int kv = 0; kv <= keys.maxKvTokens(); kv += step) {
                    for (int n = 1; n <= keys.maxChunkTokens(); n++) {
                        compare(operator, kv, n, ours.prefillMilliseconds(kv, n), expected.prefillMilliseconds(kv, n));
                    }
                }
            }
        }
    }

    private void single(Operator operator, int max, OperatorTimes ours, OperatorTimes expected) {
        for (int n = 1; n <= max; n++) {
            compare(operator, n, 0, ours.milliseconds(operator, n), expected.milliseconds(operator, n));
        }
    }

    private void compare(Operator operator, int a, int b, double ours, double expected) {
        compared++;
        maxError = Math.max(maxError, Math.abs(ours - expected) / Math.max(Math.abs(expected), MIN_MS));
        if (ours == expected) {
            equal++;
        } else if (firstDifference.isEmpty()) {
            firstDifference = operator.column() + " " + a + "," + b + ": " + expected + ", here " + ours;
        }
    }

    long compared() {
        return compared;
    }

    long equal() {
        return equal;
    }

    /** Maximum difference relative to the expected time. Times below one microsecond count as one. */
    double maxError() {
        return maxError;
    }

    String firstDifference() {
        return firstDifference;
    }

    /** Model cards with the dimensions that the reference simulator selects profiling rows by. */
    private static final class VidurCards {
        private static final int GATED = 3;
        private static final int PLAIN = 2;
        private static final int MAX_POSITION = 32768;

        private static final Map<String, Integer> VOCABULARIES = Map.of(
                "codellama/CodeLlama-34b-Instruct-hf", 32768,
                "meta-llama/Llama-2-7b-hf", 32768,
                "meta-llama/Llama-2-70b-hf", 32768,
                "meta-llama/Meta-Llama-3-8B", 128256,
                "meta-llama/Meta-Llama-3-70B", 128256,
                "microsoft/phi-2", 51200,
                "Qwen/Qwen-2-7B", 151936);

        private VidurCards() {}

        static ModelCard model(String name) {
            ModelShape shape = VidurSkus.model(name);
            Integer vocabulary = VOCABULARIES.get(name);
            if (vocabulary == null) {
                throw new IllegalArgumentException("there is no profile for " + name);
            }
            return KeyRecord.of(
                    ModelCard.class,
                    Map.ofEntries(
                            entry("name", name),
                            entry("family", "reference"),
                            entry(
                                    "attention",
                                    shape.groupedQuery() ? ModelCard.Attention.GQA : ModelCard.Attention.MHA),
                            entry("hiddenSize", shape.embedding()),
                            entry("numLayers", shape.layers()),
                            entry("numHeads", shape.queryHeads()),
                            entry("numKvHeads", shape.kvHeads()),
                            entry("headDim", shape.headDim()),
                            entry("ffnDim", shape.mlpHidden()),
                            entry("mlpMatrices", shape.gatedMlp() ? GATED : PLAIN),
                            entry("postAttentionNorm", shape.postAttentionNorm()),
                            entry("vocabSize", vocabulary),
                            entry("maxPosition", MAX_POSITION),
                            entry("confidence", Confidence.HIGH),
                            entry("source", "dimensions of the reference simulator")));
        }
    }
}
