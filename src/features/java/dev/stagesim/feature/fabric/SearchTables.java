package dev.stagesim.feature.fabric;

import dev.stagesim.report.DataTable;
import dev.stagesim.report.DataTable.Cell;
import dev.stagesim.report.Numbers;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/** What a search tried: how many met which fate, the front, and the cheapest that lost. */
record SearchTables(FabricStageSettings settings, Result result) {
    /** How many candidates met which fate. */
    DataTable fates() {
        Map<Candidate.Fate, Integer> counts = new EnumMap<>(Candidate.Fate.class);
        result.candidates().forEach(candidate -> counts.merge(candidate.fate(), 1, Integer::sum));
        DataTable table = new DataTable("Search outcome").columns("Fate", "#Candidates");
        counts.forEach(
                (fate, count) -> table.row(Result.fates().getOrDefault(fate, fate.text()), Numbers.count(count)));
        return table;
    }

    /** Candidates that the report names, the winner among them. */
    List<Candidate> shown() {
        List<Candidate> shown = new ArrayList<>(Shown.front(result.candidates(), rows()));
        shown.addAll(Shown.losers(result.candidates(), rows()));
        result.winner().ifPresent(shown::add);
        return shown;
    }

    private int rows() {
        return settings.search().reportRows();
    }

    DataTable front() {
        long all = result.candidates().stream().filter(Candidate::isOnFront).count();
        List<Candidate> front = Shown.front(result.candidates(), rows());
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
                Shown.losers(result.candidates(), rows()),
                true);
    }

    private DataTable candidates(String caption, List<Candidate> candidates, boolean reasons) {
        List<String> figures = Plan.NAMES.stream()
                .filter(name -> List.of(Plan.USD_PER_MTOK, Plan.TTFT, Plan.TPOT, Plan.STEP, Plan.POWER, Plan.NODES)
                        .contains(name))
                .filter(name -> result.candidates().stream()
                        .anyMatch(candidate -> candidate.plan().has(name)))
                .toList();
        DataTable table = new DataTable(caption).text("Candidate");
        figures.forEach(name -> table.number(FigureText.heading(name), FigureText.label(name)));
        if (reasons) {
            table.text("Why it lost");
        }
        for (Candidate candidate : candidates) {
            List<Cell> cells = new ArrayList<>();
            cells.add(Cell.of(candidate.number() + ": " + FigureText.describe(candidate.plan())));
            figures.forEach(name -> cells.add(FigureText.cell(candidate.plan(), name, "candidates.csv")));
            if (reasons) {
                cells.add(Cell.of(candidate.reason()));
            }
            table.row(cells);
        }
        return table;
    }
}
