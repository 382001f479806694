package dev.stagesim.sweep.search;

import dev.stagesim.model.Count;
import dev.stagesim.report.Explorer;
import dev.stagesim.report.Report;
import dev.stagesim.report.Report.Tone;
import dev.stagesim.report.chart.Chart;
import dev.stagesim.sweep.SweepFiles;
import dev.stagesim.sweep.SweepTables;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;

/** The report of a search: who won, why the others did not, and all candidates to look through. */
final class SearchReport {
    private static final String LOAD = "capacity_throughput";
    private static final int MOST_NAMED = 12;

    private SearchReport() {}

    static void write(Path dir, String stage, List<Verdict> verdicts, List<String> asked, List<Chart> charts)
            throws IOException {
        Report report = new Report("Search of " + stage);
        answer(report, verdicts);
        if (!charts.isEmpty()) {
            report.section("load", "Figures over the load").charts(charts);
        }
        report.section("asked", "What was asked");
        for (String line : asked) {
            int equals = line.indexOf('=');
            if (line.endsWith("=[]")) {
                continue;
            }
            String key = line.substring(0, equals).replaceAll("([A-Z])", "_$1");
            report.fact(key.toLowerCase(Locale.ROOT), line.substring(equals + 1));
        }
        String html = report.explorer(candidates(verdicts))
                .footer(dir.getFileName() + ", " + Count.of(verdicts.size(), "candidate") + " of " + stage)
                .html();
        SweepFiles.write(dir.resolve("report.html"), to -> Files.writeString(to, html));
    }

    private static void answer(Report report, List<Verdict> verdicts) {
        List<Verdict> winners =
                verdicts.stream().filter(one -> one.rank() == Verdict.Rank.WON).toList();
        if (winners.isEmpty()) {
            report.answer(Tone.BAD, "No candidate does what is asked.");
            return;
        }
        report.answer(
                Tone.GOOD,
                winners.size() == 1 ? won(winners.get(0), verdicts) : winners.size() + " candidates are on the front.");
        winners.stream()
                .limit(MOST_NAMED)
                .forEach(one -> report.prose("#" + one.candidate().num() + "  "
                        + String.join(" ", one.candidate().overrides()) + ": " + one.why()));
        if (winners.size() > MOST_NAMED) {
            report.prose("The other " + (winners.size() - MOST_NAMED) + " are in the table.");
        }
    }

    private static String won(Verdict winner, List<Verdict> all) {
        List<Map<String, String>> values = all.stream()
                .map(one -> SweepTables.values(one.candidate().overrides()))
                .toList();
        Map<String, String> its = SweepTables.values(winner.candidate().overrides());
        String apart = SweepTables.swept(values).stream()
                .filter(its::containsKey)
                .map(key -> key + "=" + its.get(key))
                .collect(Collectors.joining(" "));
        return "#" + winner.candidate().num() + (apart.isEmpty() ? "" : " (" + apart + ")") + ": "
                + winner.why().split("; ", 2)[0] + ".";
    }

    private static Explorer candidates(List<Verdict> verdicts) {
        List<Map<String, String>> values = verdicts.stream()
                .map(one -> SweepTables.values(one.candidate().overrides()))
                .toList();
        Set<String> names = new TreeSet<>();
        verdicts.forEach(one -> names.addAll(one.figures().keySet()));
        List<String> figures = new ArrayList<>(names);
        if (verdicts.stream().anyMatch(one -> !Double.isNaN(one.load()))) {
            figures.add(0, LOAD);
        }
        Explorer rows = new Explorer("candidate", SweepTables.swept(values), List.of("verdict", "why"), figures);
        for (int i = 0; i < verdicts.size(); i++) {
            Verdict one = verdicts.get(i);
            Map<String, Double> results = new TreeMap<>(one.figures());
            if (!Double.isNaN(one.load())) {
                results.put(LOAD, one.load());
            }
            rows.row(one.candidate().num(), values.get(i), List.of(one.rank().text(), one.why()), results);
        }
        return rows;
    }
}
