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

/** The list of runs, page by page; what was asked last is kept, so that turning a page sorts nothing again. */
final class RunsView {
    private static final int MOST_PAGE = 500;
    private static final int USUAL_PAGE = 100;
    private static final int USUAL_FIGURES = 3;
    private static final int MOST_COLUMNS = 12;

    /** Figures that are looked at first, where runs have them. */
    private static final List<String> FIRST =
            List.of("ttft_p99_ms", "throughput_tokens_per_s", "tpot_p50_ms", "e2e_p50_ms");

    private final RunIndex index;
    private final Notes notes;
    private volatile @Nullable Asked last;

    /** A question and the rows that answer it. */
    private record Asked(
            String query, String sort, long version, long notes, List<RunRow> rows, List<String> figures) {}

    RunsView(RunIndex index, Notes notes) {
        this.index = index;
        this.notes = notes;
    }

    Reply answer(Call call) {
        Listing listing = index.listing();
        Asked asked = asked(listing, call.text("q"), call.text("sort").isEmpty() ? "-ended" : call.text("sort"));
        int from = call.count("from", 0, asked.rows().size());
        int count = call.count("count", USUAL_PAGE, MOST_PAGE);
        List<String> columns = call.all("column").stream()
                .filter(name -> !name.isEmpty())
                .limit(MOST_COLUMNS)
                .toList();
        List<String> shown = columns.isEmpty()
                ? asked.figures().stream().limit(USUAL_FIGURES).toList()
                : columns;
        List<RunQuery.Column> looked = shown.stream().map(RunQuery.Column::new).toList();
        List<JsonValue> rows = asked.rows().stream()
                .skip(from)
                .limit(count)
                .map(row -> row(row, looked))
                .toList();
        return Reply.json(JsonValue.object()
                .put("total", listing.rows().size())
                .put("matched", asked.rows().size())
                .put("complete", listing.complete())
                .put("from", from)
                .put("columns", JsonValue.strings(shown))
                .put("figures", JsonValue.strings(asked.figures()))
                .put("rows", JsonValue.of(rows))
                .build());
    }

    private Asked asked(Listing listing, String query, String sort) {
        Asked known = last;
        long version = listing.version();
        if (known != null
                && known.query().equals(query)
                && known.sort().equals(sort)
                && known.version() == version
                && known.notes() == notes.version()) {
            return known;
        }
        long written = notes.version();
        List<RunRow> rows = new RunQuery(query, notes.all()).answer(listing.rows(), sort);
        Asked now = new Asked(query, sort, version, written, rows, figures(rows));
        last = now;
        return now;
    }

    /** Names of the rows' figures: those looked at first, then those that most rows have. */
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
