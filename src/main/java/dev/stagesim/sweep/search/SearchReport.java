package dev.stagesim.sweep.search;

import dev.stagesim.report.Explorer;
import dev.stagesim.report.Explorer.Column;
import dev.stagesim.report.Explorer.Kind;
import dev.stagesim.report.Markup;
import dev.stagesim.report.Page;
import dev.stagesim.sweep.SweepFiles;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** The report of a search: who won, why the others did not, and all candidates to look through. */
final class SearchReport {
    private static final int MOST_ROWS = 5000;

    private SearchReport() {}

    static void write(Path dir, String stage, List<Verdict> verdicts, List<String> asked) throws IOException {
        Page page = new Page("Search of " + stage, banner(verdicts));
        page.section("asked", "What was asked", asked(asked));
        List<Map<String, String>> values = verdicts.stream()
                .map(one -> SearchTables.values(one.candidate()))
                .toList();
        List<String> keys = SearchTables.swept(values);
        Set<String> figures = new TreeSet<>();
        verdicts.forEach(one -> figures.addAll(one.figures().keySet()));
        List<Column> columns = new ArrayList<>(List.of(new Column("candidate", Kind.LABEL)));
        keys.forEach(key -> columns.add(new Column(key, Kind.KEY)));
        columns.add(new Column("verdict", Kind.LABEL));
        columns.add(new Column("why", Kind.LABEL));
        boolean loads = verdicts.stream().anyMatch(one -> !Double.isNaN(one.load()));
        if (loads) {
            columns.add(new Column("capacity_throughput", Kind.FIGURE));
        }
        figures.forEach(figure -> columns.add(new Column(figure, Kind.FIGURE)));
        List<List<String>> rows = new ArrayList<>();
        for (int i = 0; i < Math.min(MOST_ROWS, verdicts.size()); i++) {
            Verdict one = verdicts.get(i);
            List<String> row =
                    new ArrayList<>(List.of(Integer.toString(one.candidate().num())));
            Map<String, String> own = values.get(i);
            keys.forEach(key -> row.add(own.getOrDefault(key, "")));
            row.add(one.rank().text());
            row.add(one.why());
            if (loads) {
                row.add(Double.isNaN(one.load()) ? "" : Double.toString(one.load()));
            }
            figures.forEach(figure -> {
                Double value = one.figures().get(figure);
                row.add(value == null ? "" : value.toString());
            });
            rows.add(row);
        }
        new Explorer(columns, rows).addTo(page);
        String html = page.footer(dir.getFileName() + ", " + verdicts.size() + " candidates of " + stage)
                .html();
        SweepFiles.write(dir.resolve("report.html"), to -> Files.writeString(to, html));
    }

    private static Markup banner(List<Verdict> verdicts) {
        List<Verdict> winners =
                verdicts.stream().filter(one -> one.rank() == Verdict.Rank.WON).toList();
        Markup out = new Markup().open("div", "class", winners.isEmpty() ? "verdict bad" : "verdict good");
        String word = winners.isEmpty()
                ? "No candidate does what is asked"
                : winners.size() == 1 ? "One candidate won" : winners.size() + " candidates are on the front";
        out.leaf("p", word, "class", "word");
        winners.stream()
                .limit(12)
                .forEach(one -> out.leaf(
                        "p",
                        "#" + one.candidate().num() + "  "
                                + String.join(" ", one.candidate().overrides()) + ": " + one.why()));
        return out.close().line();
    }

    private static Markup asked(List<String> asked) {
        Markup out = new Markup().open("dl");
        for (String line : asked) {
            int equals = line.indexOf('=');
            out.leaf("dt", line.substring(0, equals)).leaf("dd", line.substring(equals + 1));
        }
        return out.close().line();
    }
}
