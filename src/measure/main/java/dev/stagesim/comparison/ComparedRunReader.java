package dev.stagesim.comparison;

import dev.stagesim.comparison.Facts.Figure;
import dev.stagesim.comparison.Facts.Origin;
import dev.stagesim.comparison.Facts.Setting;
import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.contract.JsonArtifacts;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.MeasurementDocument;
import dev.stagesim.io.measured.Published;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.serving.EngineDocument;
import dev.stagesim.serving.tables.SimulationTables;
import dev.stagesim.serving.tables.TokenSpread;
import dev.stagesim.stage.RunInput;
import dev.stagesim.stats.LogHistogram;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Stream;

/** Reads a finished run of any stage that writes {@code request_metrics.csv}. */
public record ComparedRunReader(RunInput run) {
    private static final int MAX_GAPS = 1 << 22;

    public static ComparedRun read(RunInput run, String label) throws IOException {
        return new ComparedRunReader(run).read(label);
    }

    private ComparedRun read(String label) throws IOException {
        Optional<LocatedJson> meta = document(JsonArtifacts.RUN_META.name());
        Optional<LocatedJson> measurement =
                document(JsonArtifact.of(MeasurementDocument.class).name());
        Optional<LocatedJson> engine =
                document(JsonArtifact.of(EngineDocument.class).name());
        List<JsonValue> documents = Stream.of(
                        engine.<JsonValue>map(e -> new JsonValue.Obj(Map.of("engine", e.value()))),
                        measurement.map(LocatedJson::value),
                        meta.flatMap(m -> m.find("params")).map(LocatedJson::value))
                .flatMap(Optional::stream)
                .toList();
        List<RequestRow> rows = rows();
        return new ComparedRun(
                label,
                run.runId(),
                run.runType(),
                run.sha256(),
                name(meta, measurement, "model"),
                name(meta, measurement, "hardware"),
                rows,
                run.has(Tables.TOKEN_METRICS.name()) ? Optional.of(this::gaps) : Optional.empty(),
                spread(),
                measurement.map(ComparedRunReader::published).orElse(List.of()),
                facts(documents));
    }

    private Optional<LocatedJson> document(String name) throws IOException {
        return run.has(name) ? Optional.of(Json.read(run.file(name))) : Optional.empty();
    }

    /** Returns the name of the model or hardware, preferably from the measurement. */
    private static Optional<String> name(Optional<LocatedJson> meta, Optional<LocatedJson> measurement, String member) {
        return measurement
                .flatMap(m -> m.find(member))
                .or(() -> meta.flatMap(m -> m.find(member)))
                .flatMap(at -> {
                    if (at.value() instanceof JsonValue.Str text) {
                        return Optional.of(text.value());
                    }
                    return at.value() instanceof JsonValue.Obj
                            ? at.find("name").map(LocatedJson::asString)
                            : Optional.empty();
                });
    }

    private static List<Published> published(LocatedJson measurement) {
        return measurement.find("published").map(LocatedJson::items).orElse(List.of()).stream()
                .map(at -> JsonBinder.OWN.bind(at, Published.class))
                .toList();
    }

    private Facts facts(List<JsonValue> documents) throws IOException {
        Map<Figure, Double> figures =
                stated(Figure.values(), figure -> find(documents, figure.path).flatMap(ComparedRunReader::number));
        steps(figures);
        return new Facts(
                figures,
                stated(Origin.values(), origin -> find(documents, origin.path).map(ComparedRunReader::text)),
                stated(Metric.values(), metric -> find(documents, "definitions." + metric.key())
                        .map(ComparedRunReader::text)),
                stated(Setting.values(), setting -> setting.paths()
                        .flatMap(path -> find(documents, path).stream())
                        .findFirst()
                        .map(ComparedRunReader::text)));
    }

    private static <K extends Enum<K>, V> Map<K, V> stated(K[] all, Function<K, Optional<V>> value) {
        Map<K, V> stated = new TreeMap<>();
        for (K each : all) {
            value.apply(each).ifPresent(v -> stated.put(each, v));
        }
        return stated;
    }

    /** Returns the text, number or boolean at a dotted path, from the first document that has one. */
    private static Optional<JsonValue> find(List<JsonValue> documents, String path) {
        Stream<JsonValue> values = documents.stream();
        for (String name : path.split("\\.", -1)) {
            values = values.flatMap(
                    value -> value instanceof JsonValue.Obj object ? object.get(name).stream() : Stream.empty());
        }
        return values.filter(value -> !(value instanceof JsonValue.Obj
                        || value instanceof JsonValue.Arr
                        || value instanceof JsonValue.Null))
                .findFirst();
    }

    private static Optional<Double> number(JsonValue value) {
        if (value instanceof JsonValue.Int number) {
            return Optional.of((double) number.value());
        }
        return value instanceof JsonValue.Real real ? Optional.of(real.value()) : Optional.empty();
    }

    private static String text(JsonValue value) {
        return value instanceof JsonValue.Str text ? text.value() : Json.compact(value);
    }

    /** Returns the parts of the decode steps of a simulated engine. */
    private void steps(Map<Figure, Double> figures) throws IOException {
        if (!run.has(SimulationTables.STEP_PARTS.name())) {
            return;
        }
        Path file = run.file(SimulationTables.STEP_PARTS.name());
        TableReader.forEach(file, SimulationTables.STEP_PARTS, row -> {
            if (row.stringAt("kind").equals("decode")) {
                figures.put(Figure.DECODE_STEP_US, row.doubleAt("step_us"));
                figures.put(Figure.DECODE_HOST_US, row.doubleAt("host_us"));
            }
        });
    }

    /** Returns the requests of the run; none if its source has aggregates only. */
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
        TokenGaps.Collector gaps = new TokenGaps.Collector(MAX_GAPS);
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
