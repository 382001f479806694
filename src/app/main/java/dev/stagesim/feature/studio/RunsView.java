package dev.stagesim.feature.studio;

import dev.stagesim.feature.studio.Notes.Note;
import dev.stagesim.feature.studio.RunIndex.Listing;
import dev.stagesim.io.json.JsonValue;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** List of runs in pages. The last query is cached, so that turning a page does not sort again. */
final class RunsView {
    private static final int MAX_PAGE_ROWS = 500;
    private static final int DEFAULT_PAGE_ROWS = 100;
    private static final int DEFAULT_METRICS = 3;
    private static final int MAX_COLUMNS = 12;

    /** Metrics to show first, if runs have them. */
    private static final List<String> FIRST =
            List.of("ttft_p99_ms", "throughput_tokens_per_s", "tpot_p50_ms", "e2e_p50_ms");

    private final RunIndex index;
    private final Notes notes;
    private volatile @Nullable CachedQuery last;

    /** A query and its result. */
    private record CachedQuery(
            String query, String sort, long version, long notes, List<RunRow> rows, List<String> figures) {}

    RunsView(RunIndex index, Notes notes) {
        this.index = index;
        this.notes = notes;
    }

    ApiResponse answer(ApiRequest call) {
        Listing listing = index.listing();
        CachedQuery query = query(listing, call.text("q"), call.text("sort").isEmpty() ? "-ended" : call.text("sort"));
        int from = call.count("from", 0, query.rows().size());
        int count = call.count("count", DEFAULT_PAGE_ROWS, MAX_PAGE_ROWS);
        List<String> columns = call.all("column").stream()
                .filter(name -> !name.isEmpty())
                .limit(MAX_COLUMNS)
                .toList();
        List<String> shown = columns.isEmpty()
                ? query.figures().stream().limit(DEFAULT_METRICS).toList()
                : columns;
        List<RunQuery.Column> looked = shown.stream().map(RunQuery.Column::new).toList();
        List<JsonValue> rows = query.rows().stream()
                .skip(from)
                .limit(count)
                .map(row -> row(row, looked))
                .toList();
        return ApiResponse.json(JsonValue.object()
                .put("total", listing.rows().size())
                .put("matched", query.rows().size())
                .put("complete", listing.complete())
                .put("from", from)
                .put("columns", JsonValue.strings(shown))
                .put("figures", JsonValue.strings(query.figures()))
                .put("rows", JsonValue.of(rows))
                .build());
    }

    private CachedQuery query(Listing listing, String query, String sort) {
        CachedQuery cached = last;
        long version = listing.version();
        if (cached != null
                && cached.query().equals(query)
                && cached.sort().equals(sort)
                && cached.version() == version
                && cached.notes() == notes.version()) {
            return cached;
        }
        long written = notes.version();
        List<RunRow> rows = new RunQuery(query, notes.all()).answer(listing.rows(), sort);
        CachedQuery now = new CachedQuery(query, sort, version, written, rows, figures(rows));
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
                .put("ended", row.ended())
                .put("model", row.model())
                .put("hardware", row.hardware())
                .put("overrides", row.overrides())
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
