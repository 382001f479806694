package dev.stagesim.feature.plan;

import static java.util.Map.entry;

import dev.stagesim.measure.Defaults;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.serving.config.EngineSettings;
import dev.stagesim.serving.tables.RequestTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Settings and requests of small plans for tests. */
final class Plans {
    private static final double GOLDEN = 0.6180339887498949;

    private Plans() {}

    static PlanSettings settings(
            String model, String hardware, double load, String slo, PlanSettings.Search search, String... engines) {
        Map<String, EngineSettings> cards = new TreeMap<>();
        for (String engine : engines) {
            EngineSettings usual = Defaults.engine();
            cards.put(
                    engine,
                    new EngineSettings(
                            usual.seed(),
                            usual.maxParametersM(),
                            usual.clock(),
                            usual.warmUp(),
                            CardFiles.engine(engine)));
        }
        return Defaults.of(
                PlanSettings.class,
                Map.ofEntries(
                        entry("model", CardFiles.model(model)),
                        entry("hardware", CardFiles.hardware(hardware)),
                        entry("load", Optional.of(load)),
                        entry("slo", Optional.of(slo)),
                        entry("engines", cards),
                        entry("search", search),
                        entry("requests", Optional.of(200)),
                        entry("seeds", 2)));
    }

    static PlanSettings.Search search(
            List<Integer> tp, List<Precision> weights, List<Integer> seqs, List<Integer> tokens) {
        return KeyRecord.of(
                PlanSettings.Search.class,
                Map.ofEntries(
                        entry("tp", tp),
                        entry("pp", List.of(1)),
                        entry("weights", weights),
                        entry("kvCache", List.of(Precision.BF16)),
                        entry("maxNumSeqs", seqs),
                        entry("maxNumBatchedTokens", tokens),
                        entry("maxReplicas", 64),
                        entry("prefillScheduleInterval", List.of(1)),
                        entry("simulations", 200),
                        entry("poolSimulations", 24)));
    }

    /** Writes a run of 200 requests of about 500 prompt and 100 output tokens, one request per second. */
    static Path requests(Path dir) throws IOException {
        Files.createDirectories(dir);
        RequestTables.lengths(dir, 200, i -> "p" + i, i -> 100 + (i * 37L) % 800, i -> 20 + (i * 53L) % 160);
        RequestTables.intervals(dir, 200, i -> (long) (1e9 * (i + (i * GOLDEN) % 1)));
        return dir;
    }

    static RequestSamples read(Path dir) throws IOException {
        return new RequestSamples(List.of(ServingInput.read(requests(dir))), 200, 2);
    }
}
