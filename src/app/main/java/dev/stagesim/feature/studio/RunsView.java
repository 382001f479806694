package dev.stagesim.feature.studio;

import dev.stagesim.feature.studio.Notes.Note;
import dev.stagesim.feature.studio.RunIndex.Listing;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonBinder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.RecordJson;
import dev.stagesim.model.StageException;
import dev.stagesim.sweep.SweepFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** List of runs in pages. The last query is cached, so that turning a page does not sort again. */
final class RunsView {
    private static final int MAX_PAGE_ROWS = 500;
    private static final int DEFAULT_PAGE_ROWS = 100;
    private static final int DEFAULT_METRICS = 3;
    private static final int MAX_COLUMNS = 12;
    private static final int MAX_COLUMN_LENGTH = 200;
    private static final int MAX_TIMED_RUNS = 20;
    private static final List<String> DEFAULT_COLUMNS = List.of("model", "hardware", "engine", "workload");

    /** Metrics to show first, if runs have them. */
    private static final List<String> FIRST =
            List.of("ttft_p99_ms", "throughput_tokens_per_s", "tpot_p50_ms", "e2e_p50_ms");

    private final RunIndex index;
    private final Notes notes;
    private final Path columnsFile;
    private volatile @Nullable CachedQuery last;

    /** A query and its result. */
    private record CachedQuery(
            Query query, long version, long notes, List<RunRow> rows, List<String> figures, int hidden) {}

    /** A filter, an order, and whether to list intermediate and unfinished runs. */
    private record Query(String text, String sort, boolean all) {}

    /** Columns that the user chose; an empty list selects the default columns. */
    record Columns(List<String> columns) {}

    RunsView(Path work, RunIndex index, Notes notes) {
        this.index = index;
        this.notes = notes;
        this.columnsFile = work.resolve("tmp").resolve(RunIndex.FOLDER).resolve("columns.json");
    }

    ApiResponse answer(ApiRequest call) {
        Listing listing = index.listing();
        String sort = call.text("sort").isEmpty() ? "-ended" : call.text("sort");
        CachedQuery query =
                query(listing, new Query(call.text("q"), sort, call.text("all").equals("1")));
        int from = call.count("from", 0, query.rows().size());
        int count = call.count("count", DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS);
        List<String> columns = call.all("column").stream()
                .filter(name -> !name.isEmpty())
                .limit(MAX_COLUMNS)
                .toList();
        List<String> kept = columns.isEmpty() ? keptColumns() : columns;
        List<String> shown = kept.isEmpty() ? defaultColumns(query.figures()) : kept;
        List<RunQuery.Column> looked = shown.stream().map(RunQuery.Column::new).toList();
        List<JsonValue> rows = query.rows().stream()
                .skip(from)
                .limit(count)
                .map(row -> row(row, looked))
                .toList();
        return ApiResponse.json(JsonValue.object()
                .put("total", listing.rows().size())
                .put("matched", query.rows().size())
                .put("hidden", query.hidden())
                .put("complete", listing.complete())
                .put("from", from)
                .put("columns", JsonValue.strings(shown))
                .put("common", JsonValue.strings(List.copyOf(RunQuery.FIXED.keySet())))
                .put("figures", JsonValue.strings(query.figures()))
                .put("rows", JsonValue.of(rows))
                .build());
    }

    private static List<String> defaultColumns(List<String> figures) {
        return Stream.of(DEFAULT_COLUMNS.stream(), figures.stream().limit(DEFAULT_METRICS), Stream.of("ended"))
                .flatMap(part -> part)
                .toList();
    }

    private List<String> keptColumns() {
        try {
            return Files.isRegularFile(columnsFile)
                    ? JsonBinder.OWN.bind(Json.read(columnsFile), Columns.class).columns()
                    : List.of();
        } catch (IOException | StageException unreadable) {
            return List.of();
        }
    }

    /** Stores the columns of the list. */
    ApiResponse keep(Columns chosen) throws IOException {
        List<String> columns = chosen.columns().stream()
                .filter(name -> !name.isBlank() && name.length() <= MAX_COLUMN_LENGTH)
                .distinct()
                .limit(MAX_COLUMNS)
                .toList();
        Files.createDirectories(columnsFile.getParent());
        SweepFiles.write(columnsFile, to -> Json.write(to, RecordJson.write(new Columns(columns))));
        return ApiResponse.json(
                JsonValue.object().put("columns", JsonValue.strings(columns)).build());
    }

    /** Returns the median wall time of the newest finished runs of a stage; empty if there are none. */
    OptionalDouble medianSeconds(String stage) {
        double[] seconds = index.listing().rows().stream()
                .filter(row -> row.stage().equals(stage) && row.seconds() > 0)
                .sorted(Comparator.comparing(RunRow::ended).reversed())
                .limit(MAX_TIMED_RUNS)
                .mapToDouble(RunRow::seconds)
                .sorted()
                .toArray();
        return seconds.length == 0 ? OptionalDouble.empty() : OptionalDouble.of(seconds[seconds.length / 2]);
    }

    private CachedQuery query(Listing listing, Query query) {
        CachedQuery cached = last;
        long version = listing.version();
        if (cached != null
                && cached.query().equals(query)
                && cached.version() == version
                && cached.notes() == notes.version()) {
            return cached;
        }
        long written = notes.version();
        List<RunRow> listed = query.all()
                ? listing.rows()
                : listing.rows().stream()
                        .filter(row -> row.state().equals(RunRow.FINISHED))
                        .toList();
        List<RunRow> rows = new RunQuery(query.text(), notes.all()).answer(listed, query.sort());
        int hidden = listing.rows().size() - listed.size();
        CachedQuery now = new CachedQuery(query, version, written, rows, figures(rows), hidden);
        last = now;
        return now;
    }

    /** Returns the names of the rows' metrics: the preferred ones, then the most frequent ones. */
    static List<String> figures(List<RunRow> rows) {
        IdentityHashMap<List<String>, Integer> lists = new IdentityHashMap<>();
        rows.forEach(row -> lists.merge(row.figures().names(), 1, Integer::sum));
        Map<String, Integer> counts = new TreeMap<>();
        lists.forEach((names, count) -> names.forEach(name -> counts.merge(name, count, Integer::sum)));
        List<String> all = new ArrayList<>(counts.keySet());
        all.sort(Comparator.comparingInt((String name) -> FIRST.contains(name) ? FIRST.indexOf(name) : FIRST.size())
                .thenComparing(name -> -counts.getOrDefault(name, 0)));
        return all;
    }

    private JsonValue row(RunRow row, List<RunQuery.Column> columns) {
        Note note = notes.of(row.name());
        return JsonValue.object()
                .put("stage", row.stage())
                .put("id", row.id())
                .put("state", row.state())
                .put("warnings", row.warnings())
                .put("tags", JsonValue.strings(note.tags()))
                .put("note", note.text())
                .put(
                        "values",
                        JsonValue.strings(columns.stream()
                                .map(column -> RunQuery.text(row, column))
                                .toList()))
                .build();
    }
}
