package dev.stagesim.feature.fabric;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.DataTable.Cell;
import dev.stagesim.report.Numbers;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** Tables of a search: counts by outcome, the Pareto front, and the cheapest rejected candidates. */
record CandidateReport(FabricStageSettings settings, FabricResult result) {
    /** Counts the candidates by outcome. */
    DataTable outcomes() {
        Map<FabricCandidate.Status, Integer> counts = new EnumMap<>(FabricCandidate.Status.class);
        result.candidates().forEach(candidate -> counts.merge(candidate.status(), 1, Integer::sum));
        DataTable table = new DataTable("Search outcome").columns("Outcome", "#Candidates");
        counts.forEach((status, count) -> table.row(status.label(), Numbers.count(count)));
        return table;
    }

    /** Returns the candidates that the report names, including the winner. */
    List<FabricCandidate> reported() {
        List<FabricCandidate> reported = new ArrayList<>(ReportedCandidates.front(result.candidates(), rows()));
        reported.addAll(ReportedCandidates.rejected(result.candidates(), rows()));
        result.winner().ifPresent(reported::add);
        return reported;
    }

    private int rows() {
        return settings.optimizer().search().reportRows();
    }

    DataTable front() {
        long all =
                result.candidates().stream().filter(FabricCandidate::isOnFront).count();
        List<FabricCandidate> front = ReportedCandidates.front(result.candidates(), rows());
        String caption =
                "Pareto front: no other candidate is better in one objective and at least as good in the others"
                        + (front.size() < all
                                ? "; the " + front.size() + " cheapest of " + all + " (all are in candidates.csv)"
                                : "");
        return candidates(caption, front, false);
    }

    /** Returns the cheapest candidates that are not on the front. */
    DataTable rejected() {
        return candidates(
                "The cheapest rejected candidates; all are in candidates.csv",
                ReportedCandidates.rejected(result.candidates(), rows()),
                true);
    }

    private DataTable candidates(String caption, List<FabricCandidate> candidates, boolean withReasons) {
        List<String> metrics = FabricPlan.NAMES.stream()
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
        metrics.forEach(name -> table.number(MetricText.heading(name), MetricText.label(name)));
        if (withReasons) {
            table.text("Reason");
        }
        for (FabricCandidate candidate : candidates) {
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of(candidate.number() + ": " + MetricText.describe(candidate.plan())));
            metrics.forEach(name -> cells.add(MetricText.cell(candidate.plan(), name, "candidates.csv")));
            if (withReasons) {
                cells.add(Cell.of(candidate.reason()));
            }
            table.row(cells);
        }
        return table;
    }
}
