package dev.stagesim.stage.compare;

import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.contract.SimulationTables;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.io.measured.TokenSpread;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stage.compare.Side.Aggregate;
import dev.stagesim.stats.LogHistogram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** Reads a finished run of any stage that writes {@code request_metrics.csv}. */
record SideReader(RunInput run) {
    private static final int MOST_GAPS = 1 << 22;

    static Side read(RunInput run, String label) throws IOException {
        return new SideReader(run).read(label);
    }

    private Side read(String label) throws IOException {
        Map<String, JsonValue> facts = new TreeMap<>();
        Optional<JsonAt> meta = document(JsonArtifacts.RUN_META.name());
        meta.flatMap(m -> m.find("params")).ifPresent(p -> flatten("", p.value(), facts));
        Optional<JsonAt> measurement = document(JsonArtifacts.MEASUREMENT.name());
        measurement.ifPresent(m -> flatten("", m.value(), facts));
        document(JsonArtifacts.ENGINE.name()).ifPresent(e -> flatten("engine", e.value(), facts));
        steps(facts);
        List<RequestRow> rows = rows();
        return new Side(
                label,
                run.runId(),
                run.runType(),
                run.sha256(),
                name(meta, measurement, "model"),
                name(meta, measurement, "hardware"),
                rows,
                run.has(Tables.TOKEN_METRICS.name()) ? Optional.of(this::gaps) : Optional.empty(),
                spread(),
                measurement.map(SideReader::published).orElse(List.of()),
                facts);
    }

    private Optional<JsonAt> document(String name) throws IOException {
        return run.has(name) ? Optional.of(Json.read(run.file(name))) : Optional.empty();
    }

    /** The name of the model or hardware: as the measurement says, else as the run says. */
    private static Optional<String> name(Optional<JsonAt> meta, Optional<JsonAt> measurement, String member) {
        return measurement
                .flatMap(m -> m.find(member))
                .or(() -> meta.flatMap(m -> m.find(member)))
                .flatMap(at -> {
                    if (at.value() instanceof JsonValue.Str text) {
                        return Optional.of(text.value());
                    }
                    return at.value() instanceof JsonValue.Obj
                            ? at.find("name").map(JsonAt::asString)
                            : Optional.empty();
                });
    }

    private static List<Aggregate> published(JsonAt measurement) {
        return measurement.find("published").map(JsonAt::items).orElse(List.of()).stream()
                .map(at -> new Aggregate(
                        at.get("metric").asString(),
                        at.get("definition").asString(),
                        at.get("statistic").asString(),
                        at.get("value_ns").asDouble(),
                        at.find("n").map(JsonAt::asLong)))
                .toList();
    }

    /** What decode steps of a simulated engine are made of. */
    private void steps(Map<String, JsonValue> facts) throws IOException {
        if (!run.has(SimulationTables.STEP_PARTS.name())) {
            return;
        }
        try (TableReader table =
                TableReader.open(run.file(SimulationTables.STEP_PARTS.name()), SimulationTables.STEP_PARTS)) {
            while (table.next()) {
                String prefix = "steps." + table.stringAt(table.column("kind")) + ".";
                for (String name : List.of("step_us", "host_us")) {
                    facts.put(prefix + name, JsonValue.of(table.doubleAt(table.column(name))));
                }
            }
        }
    }

    private static void flatten(String prefix, JsonValue value, Map<String, JsonValue> facts) {
        if (value instanceof JsonValue.Obj object) {
            object.members()
                    .forEach((name, member) -> flatten(prefix.isEmpty() ? name : prefix + "." + name, member, facts));
        } else if (!(value instanceof JsonValue.Null) && !(value instanceof JsonValue.Arr)) {
            facts.put(prefix, value);
        }
    }

    /** Its requests; none where its source told aggregates only. */
    private List<RequestRow> rows() throws IOException {
        return run.has(Tables.REQUEST_METRICS.name())
                ? RequestRow.read(run.file(Tables.REQUEST_METRICS.name()))
                : List.of();
    }

    private Optional<LogHistogram> spread() throws IOException {
        if (!run.has(SimulationTables.TOKEN_TIMES.name())) {
            return Optional.empty();
        }
        Path file = run.file(SimulationTables.TOKEN_TIMES.name());
        return Optional.of(TokenSpread.read(file, TableFile.raw(file)).between());
    }

    private TokenGaps gaps(Map<Long, Long> tokens) {
        TokenGaps.Collector gaps = new TokenGaps.Collector(MOST_GAPS);
        Path file = run.file(Tables.TOKEN_METRICS.name());
        try (TableReader table = TableReader.open(file, Tables.TOKEN_METRICS)) {
            int id = table.column("request_id");
            int index = table.column("token_index");
            int latency = table.column("token_latency_ns");
            int chunk = table.column("tokens_in_chunk");
            while (table.next()) {
                Long wanted = tokens.get(table.longAt(id));
                if (wanted != null && chunk >= 0 && (table.isEmpty(chunk) || table.longAt(chunk) != 1)) {
                    gaps.severalTokens();
                }
                if (wanted != null && table.longAt(index) > 0 && table.longAt(index) < wanted) {
                    gaps.add(table.longAt(id), table.longAt(latency));
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return gaps.done(file.toString());
    }
}
