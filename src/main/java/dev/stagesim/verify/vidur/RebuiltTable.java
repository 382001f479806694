package dev.stagesim.verify.vidur;

import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.PredictionTable;
import dev.stagesim.predict.Profile;
import dev.stagesim.predict.RandomForest;
import dev.stagesim.predict.Range;
import dev.stagesim.predict.TableTimes;
import dev.stagesim.sim.core.Mt19937;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.OptionalInt;

/** Trains predictors from a bundle as a table's provenance says, and compares every entry with the exported table. */
final class RebuiltTable {
    private final Path folder;
    private final Path bundles;
    private long compared;
    private long equal;
    private String firstDifference = "";

    RebuiltTable(Path folder, Path bundles) {
        this.folder = folder;
        this.bundles = bundles;
    }

    /** Whether the table is one of forests; those of linear regression cannot be rebuilt bit for bit. */
    static boolean isForest(Path folder) throws IOException {
        JsonAt run =
                Json.read(folder.resolve("provenance.json")).get("runs").items().get(0);
        return run.get("predictor").get("type").asString().equals("random_forest");
    }

    void run() throws IOException {
        JsonAt provenance = Json.read(folder.resolve("provenance.json"));
        for (JsonAt run : provenance.get("runs").items()) {
            JsonAt predictor = run.get("predictor");
            int granularity = predictor.get("kv_cache_prediction_granularity").asInt();
            OperatorTimes expected = ExportedTables.read(folder, granularity);
            List<Operator> order = run.get("trained_in_order").asStrings().stream()
                    .map(name -> Operator.valueOf(name.toUpperCase(Locale.ROOT)))
                    .toList();
            RandomForest forest = forest(run, range(expected.coverage()));
            for (PredictionTable table : forest.train(profile(run, order), order)) {
                // a run that stopped with an error at start may have left a table that was not exported
                if (exported(table.operator())) {
                    compare(table, TableTimes.of(granularity, List.of(table)), expected);
                }
            }
        }
    }

    private boolean exported(Operator operator) {
        return GoldenTable.locate(folder, operator.column() + ".csv").isPresent();
    }

    private static Range range(OperatorTimes.Coverage coverage) {
        return new Range(
                coverage.kvGranularity(),
                OptionalInt.of(coverage.maxTokens()),
                OptionalInt.of(coverage.maxBatch()),
                OptionalInt.of(coverage.maxKvTokens()),
                OptionalInt.of(coverage.maxChunkTokens()));
    }

    private static RandomForest forest(JsonAt run, Range range) {
        JsonAt predictor = run.get("predictor");
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

    private static List<Integer> integers(JsonAt values) {
        return values.items().stream().map(JsonAt::asInt).toList();
    }

    private Profile profile(JsonAt run, List<Operator> order) throws IOException {
        String model = run.get("model").asString();
        String device = run.get("device").asString();
        int tensorParallel = run.get("tensor_parallel_size").asInt();
        boolean severalNodes = folder.getFileName().toString().contains("_mn_");
        int stages = order.contains(Operator.SEND_RECV) ? (severalNodes ? 1024 : 2) : 1;
        BundleRequest request = new BundleRequest(
                VidurCards.model(model),
                device,
                Optional.of(device),
                Optional.of(model),
                Optional.of(run.get("network_device").asString()),
                tensorParallel,
                stages,
                run.get("block_size").asInt(),
                order.contains(Operator.SCHEDULE),
                OptionalInt.of(VidurCards.model(model).vocabSize()),
                true);
        return BundleReader.read(bundles, request).profile();
    }

    private void compare(PredictionTable table, OperatorTimes ours, OperatorTimes expected) {
        for (int row = 0; row < table.rows(); row++) {
            for (int a = table.from(row); a <= table.to(row); a++) {
                compareRow(table, row, a, ours, expected);
            }
        }
    }

    private void compareRow(PredictionTable table, int row, int a, OperatorTimes ours, OperatorTimes expected) {
        Operator operator = table.operator();
        int step = expected.coverage().kvGranularity();
        switch (operator.key()) {
            case TOKENS, REQUESTS ->
                compare(operator, a, 0, ours.milliseconds(operator, a), expected.milliseconds(operator, a));
            case BATCH_AND_KV -> {
                for (int kv = table.secondFrom(row); kv <= table.secondTo(row); kv += step) {
                    compare(operator, a, kv, ours.decodeMilliseconds(a, kv), expected.decodeMilliseconds(a, kv));
                }
            }
            case KV_AND_CHUNK -> {
                if (a % step == 0) {
                    for (int chunk = table.secondFrom(row); chunk <= table.secondTo(row); chunk++) {
                        compare(
                                operator,
                                a,
                                chunk,
                                ours.prefillMilliseconds(a, chunk),
                                expected.prefillMilliseconds(a, chunk));
                    }
                }
            }
        }
    }

    private void compare(Operator operator, int a, int b, double ours, double expected) {
        compared++;
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

    String firstDifference() {
        return firstDifference;
    }
}
