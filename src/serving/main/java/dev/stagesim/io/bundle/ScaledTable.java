package dev.stagesim.io.bundle;

import dev.stagesim.io.csv.CsvRows;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.function.Function;
import java.util.function.ToDoubleFunction;

/** Copies a table and multiplies the numbers of some columns; all other cells keep their text. */
public final class ScaledTable {
    private ScaledTable() {}

    /**
     * Addition to a cell in proportion to the product of other columns of its row.
     *
     * @param by names of the other columns
     * @param amount addition per unit of the product; 0 for none
     */
    public record Slope(List<String> by, double amount) {
        public static final Slope NONE = new Slope(List.of(), 0);

        public Slope {
            by = List.copyOf(by);
        }

        private double of(CsvRows rows, List<String> header) {
            double product = amount;
            for (String column : by) {
                product *= number(rows, header.indexOf(column), header);
            }
            return product;
        }
    }

    /**
     * Copies a file.
     *
     * @param factor factor for each column name; 1 copies the column
     * @param slope addition to each column, after the factor
     */
    public static void copy(Path from, Path to, ToDoubleFunction<String> factor, Function<String, Slope> slope)
            throws IOException {
        try (CsvRows rows = CsvRows.open(from);
                Writer out = Files.newBufferedWriter(to, StandardCharsets.UTF_8)) {
            List<String> header = rows.header();
            double[] factors = header.stream().mapToDouble(factor).toArray();
            List<Slope> slopes = header.stream().map(slope).toList();
            for (int i = 0; i < factors.length; i++) {
                cell(out, i, header.get(i));
            }
            out.write('\n');
            while (rows.next()) {
                for (int i = 0; i < factors.length; i++) {
                    String text = rows.text(i);
                    double amount = slopes.get(i).amount();
                    boolean isCopied = (factors[i] == 1 && amount == 0) || text.isBlank();
                    double added = isCopied || amount == 0 ? 0 : slopes.get(i).of(rows, header);
                    cell(out, i, isCopied ? text : Double.toString(number(rows, i, header) * factors[i] + added));
                }
                out.write('\n');
            }
        }
    }

    private static double number(CsvRows rows, int column, List<String> header) {
        String text = rows.text(column);
        try {
            return Double.parseDouble(text.strip());
        } catch (NumberFormatException e) {
            throw StageException.input(
                    rows.problem("column '" + header.get(column) + "' is '" + text + "', expected a number"));
        }
    }

    private static void cell(Writer out, int index, String text) throws IOException {
        if (index > 0) {
            out.write(',');
        }
        out.write(TableFile.quoted(text));
    }
}
