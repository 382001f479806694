package dev.stagesim.feature.fabric;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.DataTable.Cell;
import dev.stagesim.report.Numbers;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What a search tried: how many met which fate, the front, and the cheapest that lost. */
record CandidateReport(FabricStageSettings settings, FabricResult result) {
    /** How many candidates met which fate. */
    DataTable statusLabels() {
        Map<FabricCandidate.Status, Integer> counts = new EnumMap<>(FabricCandidate.Status.class);
        result.candidates().forEach(candidate -> counts.merge(candidate.status(), 1, Integer::sum));
        DataTable table = new DataTable("Search outcome").columns("Fate", "#Candidates");
        counts.forEach((status, count) ->
                table.row(FabricResult.statusLabels().getOrDefault(status, status.text()), Numbers.count(count)));
        return table;
    }

    /** Candidates that the report names, the winner among them. */
    List<FabricCandidate> shown() {
        List<FabricCandidate> shown = new ArrayList<>(ReportedCandidates.front(result.candidates(), rows()));
        shown.addAll(ReportedCandidates.losers(result.candidates(), rows()));
        result.winner().ifPresent(shown::add);
        return shown;
    }

    private int rows() {
        return settings.search().reportRows();
    }

    DataTable front() {
        long all =
                result.candidates().stream().filter(FabricCandidate::isOnFront).count();
        List<FabricCandidate> front = ReportedCandidates.front(result.candidates(), rows());
        String caption = "On the front: no other is better in everything"
                + (front.size() < all
                        ? "; the " + front.size() + " cheapest of " + all + ", candidates.csv has all"
                        : "");
        return candidates(caption, front, false);
    }

    /** Losers near the front. */
    DataTable losers() {
        return candidates(
                "The cheapest that lost, and why; candidates.csv has all",
                ReportedCandidates.losers(result.candidates(), rows()),
                true);
    }

    private DataTable candidates(String caption, List<FabricCandidate> candidates, boolean reasons) {
        List<String> figures = FabricPlan.NAMES.stream()
                .filter(name -> List.of(
                                FabricPlan.USD_PER_MTOK,
                                FabricPlan.TTFT,
                                FabricPlan.TPOT,
                                FabricPlan.STEP,
                                FabricPlan.POWER,
                                FabricPlan.NODES)
                        .contains(name))
                .filter(name -> result.candidates().stream()
                        .anyMatch(candidate -> candidate.plan().has(name)))
                .toList();
        DataTable table = new DataTable(caption).text("Candidate");
        figures.forEach(name -> table.number(MetricText.heading(name), MetricText.label(name)));
        if (reasons) {
            table.text("Why it lost");
        }
        for (FabricCandidate candidate : candidates) {
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of(candidate.number() + ": " + MetricText.describe(candidate.plan())));
            figures.forEach(name -> cells.add(MetricText.cell(candidate.plan(), name, "candidates.csv")));
            if (reasons) {
                cells.add(Cell.of(candidate.reason()));
            }
            table.row(cells);
        }
        return table;
    }
}
