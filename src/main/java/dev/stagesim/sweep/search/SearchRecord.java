package dev.stagesim.sweep.search;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.settings.SweeperSettings;
import dev.stagesim.sweep.SweepFiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** The file {@code search.json}: what was asked, and who won. */
record SearchRecord(
        String stage, SweeperSettings settings, List<Verdict> verdicts, List<Path> configs, int simulations) {
    static final String FILE = "search.json";

    void write(Path dir) throws IOException {
        List<JsonValue> winners = new ArrayList<>();
        for (Verdict verdict : verdicts) {
            if (verdict.rank() == Verdict.Rank.WON) {
                Path config = configs.get(winners.size());
                JsonObjectBuilder figures = JsonValue.object();
                verdict.figures().forEach(figures::put);
                winners.add(JsonValue.object()
                        .put("candidate", verdict.candidate().num())
                        .put("overrides", JsonValue.strings(verdict.candidate().overrides()))
                        .put("config", dir.relativize(config).toString())
                        .put("load", Double.isNaN(verdict.load()) ? JsonValue.NULL : JsonValue.of(verdict.load()))
                        .put("why", verdict.why())
                        .put("figures", figures.build())
                        .build());
            }
        }
        JsonValue json = JsonValue.object()
                .put("stage", stage)
                .put("sweeper", JsonValue.strings(Search.shape(settings)))
                .put("candidates", verdicts.size())
                .put("simulations", simulations)
                .put("winners", JsonValue.of(winners))
                .build();
        SweepFiles.write(dir.resolve(FILE), to -> Json.write(to, json));
    }
}
