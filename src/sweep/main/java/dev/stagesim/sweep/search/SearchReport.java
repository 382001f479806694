package dev.stagesim.sweep.search;

import dev.stagesim.model.Count;
import dev.stagesim.report.Chart;
import dev.stagesim.report.Explorer;
import dev.stagesim.report.Report;
import dev.stagesim.report.Report.Tone;
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

/**
 * The report of a search: the winners, the reasons why other candidates lost, and a browsable table of all candidates.
 */
final class SearchReport {
    private static final String LOAD = "capacity_throughput";
    private static final int MAX_NAMED = 12;

    private SearchReport() {}

    static void write(
            Path dir, String stage, List<CandidateVerdict> verdicts, List<String> settings, List<Chart> charts)
            throws IOException {
        Report report = new Report("Search of " + stage);
        answer(report, verdicts);
        if (!charts.isEmpty()) {
            report.section("load", "Metrics over the load").charts(charts);
        }
        report.section("asked", "Settings of the search");
        for (String line : settings) {
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

    private static void answer(Report report, List<CandidateVerdict> verdicts) {
        List<CandidateVerdict> winners = verdicts.stream()
                .filter(verdict -> verdict.rank() == CandidateVerdict.Rank.WON)
                .toList();
        if (winners.isEmpty()) {
            report.answer(Tone.BAD, "No candidate meets the requirements.");
            return;
        }
        report.answer(
                Tone.GOOD,
                winners.size() == 1
                        ? won(winners.get(0), verdicts)
                        : winners.size() + " candidates are on the Pareto front.");
        winners.stream()
                .limit(MAX_NAMED)
                .forEach(verdict -> report.prose("#" + verdict.candidate().num() + "  "
                        + String.join(" ", verdict.candidate().overrides()) + ": " + verdict.why()));
        if (winners.size() > MAX_NAMED) {
            report.prose("The other " + (winners.size() - MAX_NAMED) + " are in the table.");
        }
    }

    private static String won(CandidateVerdict winner, List<CandidateVerdict> all) {
        List<Map<String, String>> values = all.stream()
                .map(verdict -> SweepTables.values(verdict.candidate().overrides()))
                .toList();
        Map<String, String> winnerValues = SweepTables.values(winner.candidate().overrides());
        String difference = SweepTables.swept(values).stream()
                .filter(winnerValues::containsKey)
                .map(key -> key + "=" + winnerValues.get(key))
                .collect(Collectors.joining(" "));
        return "#" + winner.candidate().num() + (difference.isEmpty() ? "" : " (" + difference + ")") + ": "
                + winner.why().split("; ", 2)[0] + ".";
    }

    private static Explorer candidates(List<CandidateVerdict> verdicts) {
        List<Map<String, String>> values = verdicts.stream()
                .map(verdict -> SweepTables.values(verdict.candidate().overrides()))
                .toList();
        Set<String> names = new TreeSet<>();
        verdicts.forEach(verdict -> names.addAll(verdict.figures().keySet()));
        List<String> figures = new ArrayList<>(names);
        if (verdicts.stream().anyMatch(verdict -> !Double.isNaN(verdict.load()))) {
            figures.add(0, LOAD);
        }
        Explorer rows = new Explorer("candidate", SweepTables.swept(values), List.of("verdict", "why"), figures);
        for (int i = 0; i < verdicts.size(); i++) {
            CandidateVerdict verdict = verdicts.get(i);
            Map<String, Double> results = new TreeMap<>(verdict.figures());
            if (!Double.isNaN(verdict.load())) {
                results.put(LOAD, verdict.load());
            }
            rows.row(
                    verdict.candidate().num(),
                    values.get(i),
                    List.of(verdict.rank().text(), verdict.why()),
                    results);
        }
        return rows;
    }
}
