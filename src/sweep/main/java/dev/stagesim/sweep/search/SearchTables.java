package dev.stagesim.sweep.search;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.sweep.SweepFiles;
import dev.stagesim.sweep.SweepTables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeSet;

/** The tables of a search: candidates and simulations. */
final class SearchTables {
    private static final String CANDIDATES = "candidates.csv";
    private static final String SIMULATIONS = "simulations.csv";
    private static final List<String> FIXED =
            List.of("candidate", "verdict", "why", "seeds", "seed", "load", "refused");

    private SearchTables() {}

    static void write(Path dir, List<CandidateVerdict> verdicts, List<SimulationPool.Answer> answers)
            throws IOException {
        SweepFiles.write(dir.resolve(CANDIDATES), file -> candidates(file, verdicts));
        SweepFiles.write(dir.resolve(SIMULATIONS), file -> simulations(file, answers));
    }

    private static void candidates(Path file, List<CandidateVerdict> verdicts) throws IOException {
        List<Map<String, String>> values = verdicts.stream()
                .map(verdict -> SweepTables.values(verdict.candidate().overrides()))
                .toList();
        List<String> keys = SweepTables.swept(values);
        Set<String> figures = new TreeSet<>();
        verdicts.forEach(verdict -> figures.addAll(verdict.figures().keySet()));
        boolean loads = verdicts.stream().anyMatch(verdict -> !Double.isNaN(verdict.load()));
        List<Column> columns = new ArrayList<>();
        columns.add(Column.int64("candidate", "", "Number of the candidate."));
        keys.forEach(key -> columns.add(
                Column.string(distinctName(key), "Value of the override.").orEmpty()));
        columns.add(Column.string("verdict", "Final state of the candidate.")
                .oneOf(Arrays.stream(CandidateVerdict.Rank.values())
                        .map(CandidateVerdict.Rank::text)
                        .toList()));
        if (loads) {
            columns.add(Column.float64("load", "", "Load of the metrics.").orEmpty());
        }
        columns.add(Column.int64("seeds", "", "Number of simulated seeds."));
        figures.forEach(figure ->
                columns.add(Column.float64(figure, "", "Mean over the seeds.").orEmpty()));
        columns.add(Column.string("why", "Reason for the verdict.").orEmpty());
        TableSchema schema = new TableSchema(CANDIDATES, 1, "Candidates of a search.", columns, List.of());
        try (TableWriter out = TableWriter.create(file, schema)) {
            for (int i = 0; i < verdicts.size(); i++) {
                CandidateVerdict verdict = verdicts.get(i);
                out.put(verdict.candidate().num());
                for (String key : keys) {
                    out.put(values.get(i).getOrDefault(key, ""));
                }
                out.put(verdict.rank().text());
                if (loads) {
                    out.putFinite(verdict.load());
                }
                out.put(verdict.seeds());
                figures(out, figures, verdict.figures());
                out.put(verdict.why()).endRow();
            }
        }
    }

    private static void simulations(Path file, List<SimulationPool.Answer> answers) throws IOException {
        Set<String> figures = new TreeSet<>();
        answers.forEach(answer -> figures.addAll(answer.figures().keySet()));
        List<Column> columns = new ArrayList<>(List.of(
                Column.int64("candidate", "", "Number of the candidate."),
                Column.float64("load", "", "Load; empty if there is none.").orEmpty(),
                Column.int64("seed", "", "Number of the seed, from 0.")));
        figures.forEach(figure -> columns.add(
                Column.float64(figure, "", "Metric of the simulation.").orEmpty()));
        columns.add(Column.string("refused", "Reason why there are no metrics.").orEmpty());
        TableSchema schema = new TableSchema(SIMULATIONS, 1, "Simulations of a search.", columns, List.of());
        try (TableWriter out = TableWriter.create(file, schema)) {
            for (SimulationPool.Answer answer : answers) {
                out.put(answer.candidate());
                out.putFinite(answer.load());
                out.put(answer.seed());
                figures(out, figures, answer.figures());
                out.put(answer.refused()).endRow();
            }
        }
    }

    private static void figures(TableWriter out, Set<String> names, SortedMap<String, Double> figures)
            throws IOException {
        for (String name : names) {
            out.putFinite(figures.getOrDefault(name, Double.NaN));
        }
    }

    private static String distinctName(String key) {
        return FIXED.contains(key) ? key + "_" : key;
    }
}
