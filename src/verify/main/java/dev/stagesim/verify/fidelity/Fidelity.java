package dev.stagesim.verify.fidelity;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.verify.fidelity.corpus.Cards;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntConsumer;

/** Predicts every row of a folder of published measurements. */
final class Fidelity {
    /** Columns of a table of measurements. */
    private static final List<String> FIGURES = List.of("source_id", "metric", "value", "load_kind", "engine", "gpu");

    private static final List<String> LOG = List.of("source_id", "queued_s", "first_token_s", "last_token_s");

    private Fidelity() {}

    /**
     * Reads and predicts all rows.
     *
     * @param done receives the number of finished rows
     * @throws StageException if the folder contains no measurements, or a table cannot be read
     */
    static FidelityReport of(Path corpus, Cards cards, IntConsumer done) throws IOException {
        List<Row> rows = new ArrayList<>();
        List<LooseTable> logs = new ArrayList<>();
        for (Path file : files(corpus)) {
            LooseTable table = LooseTable.read(file);
            if (FIGURES.stream().allMatch(table::has)) {
                for (int i = 0; i < table.size(); i++) {
                    rows.add(Row.of(String.valueOf(file.getFileName()), table, i));
                }
            } else if (LOG.stream().allMatch(table::has)) {
                logs.add(table);
            }
        }
        if (rows.isEmpty() && logs.isEmpty()) {
            throw StageException.input(Problem.of(
                    "input error",
                    corpus.toString(),
                    "contains no measurements, expected CSV files with the columns " + String.join(", ", FIGURES)));
        }
        Subjects subjects = new Subjects(cards);
        Predictions predictions = new Predictions(subjects);
        FidelityReport report = new FidelityReport(subjects::model);
        LittlesLaw rates = new LittlesLaw(rows);
        for (int i = 0; i < rows.size(); i++) {
            predict(rows.get(i), rates, predictions, report);
            done.accept(i + 1);
        }
        for (LooseTable log : logs) {
            RequestLog.judge(log, subjects, report);
        }
        return report;
    }

    private static void predict(Row row, LittlesLaw rates, Predictions predictions, FidelityReport report) {
        try {
            rates.check(row);
            double value = predictions.of(row);
            if (!(row.value() > 0) || !Double.isFinite(value)) {
                throw new UnpredictableRow("the measured value is not above zero");
            }
            report.add(new RowPrediction(row, value));
        } catch (UnpredictableRow refusal) {
            report.refuse(row, refusal.why());
        }
    }

    private static List<Path> files(Path corpus) throws IOException {
        if (!Files.isDirectory(corpus)) {
            throw StageException.input(Problem.of("input error", corpus.toString(), "expected a directory"));
        }
        return Directories.list(corpus, file -> file.toString().endsWith(".csv"));
    }
}
