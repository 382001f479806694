package dev.stagesim.feature.plan;

import dev.stagesim.measure.Defaults;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.serving.RequestTables;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.serving.config.EngineSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Settings and requests of small plans, for tests. */
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
        return new PlanSettings(
                CardFiles.model(model),
                CardFiles.hardware(hardware),
                load,
                slo,
                Defaults.workload(),
                Defaults.arrival(),
                cards,
                search,
                Optional.empty(),
                Optional.empty(),
                Optional.of(200),
                2);
    }

    static PlanSettings.Search search(
            List<Integer> tp, List<Precision> weights, List<Integer> seqs, List<Integer> tokens) {
        return new PlanSettings.Search(
                tp,
                List.of(1),
                weights,
                List.of(Precision.BF16),
                seqs,
                tokens,
                64,
                4,
                200,
                List.of(),
                false,
                Optional.empty(),
                24);
    }

    /** A run of 200 requests of about 500 prompt and 100 output tokens, a request a second. */
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
