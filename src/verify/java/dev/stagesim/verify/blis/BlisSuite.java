package dev.stagesim.verify.blis;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.serving.cluster.TransferStation;
import dev.stagesim.verify.CaseFolders;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.JsonParts;
import dev.stagesim.verify.JsonSame;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.OptionalInt;
import java.util.function.Consumer;

/** Whole runs of BLIS: every decision, every request, every instance. */
public final class BlisSuite implements Suite {
    /** Means and shares are sums in an order that is not recorded. */
    private static final double ROUNDING = 1e-12;

    @Override
    public String name() {
        return "blis";
    }

    @Override
    public String doc() {
        return "Clusters of BLIS: routers, admission, gateway queue, split pools, tiers, sessions, scaling, adapters;"
                + " a folder with cases/<case>/{case.json,expected.json}.";
    }

    @Override
    public void run(Path corpus, Consumer<CaseResult> results) throws IOException {
        CaseFolders.replay(corpus.resolve("cases"), BlisSuite::replay, results);
    }

    private static CaseResult replay(Path folder) throws IOException {
        JsonAt recorded = Json.read(folder.resolve("case.json"));
        JsonValue expected = Json.read(folder.resolve("expected.json")).value();
        String family = recorded.get("family").asString();
        String id = String.valueOf(folder.getFileName());
        JsonValue actual = family.equals("station") ? StationCase.run(recorded) : ClusterCase.run(recorded);
        List<Difference> differences = JsonSame.differences(expected, actual, ROUNDING);
        return differences.isEmpty() ? CaseResult.passed(family, id) : CaseResult.failed(family, id, differences);
    }

    /** Submits the recorded jobs to a station. */
    private static final class StationCase {
        private StationCase() {}

        static JsonValue run(JsonAt recorded) {
            List<TransferStation.Tier> tiers = new ArrayList<>();
            for (JsonAt tier : recorded.get("tiers").items()) {
                tiers.add(new TransferStation.Tier(
                        lane(tier, "read"),
                        lane(tier, "write"),
                        tier.get("saturation_depth").asInt(),
                        tier.get("single_fraction").asDouble(),
                        tier.get("max_queue").asInt()));
            }
            TransferStation station = new TransferStation(tiers);
            List<JsonParts> events = new ArrayList<>();
            for (JsonAt job : recorded.get("jobs").items()) {
                long at = job.get("t_us").asLong();
                station.advance(at).forEach(done -> events.add(seen(done)));
                OptionalInt id = station.submit(
                        job.get("tier").asInt(),
                        TransferStation.Direction.valueOf(
                                job.get("direction").asString().toUpperCase(Locale.ROOT)),
                        job.get("bytes").asLong(),
                        at);
                events.add(new JsonParts().with("submitted", id.orElse(0)).with("accepted", id.isPresent()));
            }
            station.finish().forEach(done -> events.add(seen(done)));
            return new JsonParts().with("events", JsonParts.list(events)).object();
        }

        private static TransferStation.Lane lane(JsonAt tier, String direction) {
            return new TransferStation.Lane(
                    tier.get(direction + "_servers").asInt(),
                    tier.get(direction + "_base_us").asLong(),
                    tier.get(direction + "_bytes_per_us").asDouble());
        }

        private static JsonParts seen(TransferStation.Done done) {
            return new JsonParts().with("job", done.job()).with("seen_at", done.at());
        }
    }
}
