package dev.stagesim.io.bundle;

import dev.stagesim.io.csv.CsvRows;
import dev.stagesim.io.csv.TableFile;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.ToDoubleFunction;

/** Copies a table and multiplies the numbers of some columns; all other cells keep their text. */
public final class ScaledTable {
    private ScaledTable() {}

    /**
     * Copies a file.
     *
     * @param factor factor for each column name; 1 copies the column
     */
    public static void copy(Path from, Path to, ToDoubleFunction<String> factor) throws IOException {
        try (CsvRows rows = CsvRows.open(from);
                Writer out = Files.newBufferedWriter(to, StandardCharsets.UTF_8)) {
            List<String> header = rows.header();
            double[] factors = header.stream().mapToDouble(factor).toArray();
            for (int i = 0; i < factors.length; i++) {
                cell(out, i, header.get(i));
            }
            out.write('\n');
            while (rows.next()) {
                for (int i = 0; i < factors.length; i++) {
                    String text = rows.text(i);
                    cell(
                            out,
                            i,
                            factors[i] == 1 || text.isBlank() ? text : product(rows, text, factors[i], header.get(i)));
                }
                out.write('\n');
            }
        }
    }

    private static String product(CsvRows rows, String text, double factor, String column) {
        try {
            return Double.toString(Double.parseDouble(text.strip()) * factor);
        } catch (NumberFormatException e) {
            throw dev.stagesim.model.StageException.input(
                    rows.problem("column '" + column + "' is '" + text + "', expected a number"));
        }
    }

    private static void cell(Writer out, int index, String text) throws IOException {
        if (index > 0) {
            out.write(',');
        }
        out.write(TableFile.quoted(text));
    }
}
