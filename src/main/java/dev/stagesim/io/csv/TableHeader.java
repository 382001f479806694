package dev.stagesim.io.csv;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Matches the header of a file with the columns of a schema. */
final class TableHeader {
    private TableHeader() {}

    /**
     * Returns the schema's column for each cell of the header; null for a column the schema does not know.
     *
     * @throws StageException with every missing, unknown and doubled column
     */
    static @Nullable Column[] match(String where, List<String> header, TableSchema schema) {
        List<Problem> problems = new ArrayList<>();
        @Nullable Column[] columns = new @Nullable Column[header.size()];
        Set<String> seen = new HashSet<>();
        List<String> known = schema.columns().stream().map(Column::name).toList();
        List<String> absent =
                known.stream().filter(name -> !header.contains(name)).toList();
        for (int i = 0; i < columns.length; i++) {
            String name = header.get(i);
            columns[i] = schema.column(name).orElse(null);
            if (!seen.add(name) && (columns[i] != null || !schema.open())) {
                problems.add(problem(where, "column '" + name + "' appears twice"));
            } else if (columns[i] == null && !schema.open()) {
                problems.add(problem(where, "unknown column '" + name + "'").didYouMean(Suggest.near(name, absent)));
            }
        }
        for (Column column : schema.columns()) {
            if (column.required() && !seen.contains(column.name())) {
                String unit = column.unit().isEmpty() ? "" : " (" + column.unit() + ")";
                problems.add(problem(where, "column '" + column.name() + "'" + unit + " is missing")
                        .didYouMean(Suggest.near(column.name(), header)));
            }
        }
        if (!problems.isEmpty()) {
            Problem last = problems.remove(problems.size() - 1);
            problems.add(last.note("expected", schema.name() + " with columns " + String.join(",", known)));
            throw StageException.input(problems);
        }
        return columns;
    }

    private static Problem problem(String where, String what) {
        return Problem.of("artifact error", where, what);
    }
}
