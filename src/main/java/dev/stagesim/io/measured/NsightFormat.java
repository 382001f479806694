package dev.stagesim.io.measured;

import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.io.measured.Operations.Operator;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * What Nsight Systems exports: a database ({@code nsys export --type sqlite}), or CSV of {@code nsys stats --report
 * cuda_gpu_kern_sum --format csv} with sums over the calls of each kernel, whose header has the unit.
 */
final class NsightFormat implements ResultFormat {
    @Override
    public String name() {
        return "nsight";
    }

    @Override
    public String describe() {
        return "database of nsys export --type sqlite, or CSV of nsys stats --report cuda_gpu_kern_sum";
    }

    @Override
    public boolean recognises(Glimpse file) {
        return isDatabase(file)
                || (file.header().stream().anyMatch(column -> column.startsWith("Total Time ("))
                        && file.hasColumns("Instances", "Name"));
    }

    private static boolean isDatabase(Glimpse file) {
        return file.head().startsWith("SQLite format 3\u0000");
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        options.refuse(true, true, "a profile has no requests");
        if (isDatabase(Glimpse.at(file))) {
            return NsightDatabase.read(file);
        }
        LooseTable table = LooseTable.read(file);
        String total = column(table, file, "Total Time (");
        double unit = unit(total, file);
        List<Operator> rows = new ArrayList<>();
        for (int i = 0; i < table.size(); i++) {
            rows.add(new Operator(
                    "gpu",
                    "kernel",
                    table.text(i, "Name"),
                    Math.round(table.number(i, "Instances")),
                    Math.round(table.number(i, total) * unit),
                    Math.round(table.number(i, column(table, file, "Min (")) * unit),
                    Math.round(table.number(i, column(table, file, "Max (")) * unit)));
        }
        Draft draft = new Draft(name(), "Nsight Systems", file.toString()).clock("ns of the GPU");
        return draft.operations(new Operations(rows, List.of())).done();
    }

    private static String column(LooseTable table, Path file, String prefix) {
        return table.columns().stream()
                .filter(name -> name.startsWith(prefix))
                .findFirst()
                .orElseThrow(() -> StageException.input(
                        Problem.of("artifact error", file.toString(), "there is no column '" + prefix + "...)'")));
    }

    private static double unit(String column, Path file) {
        String unit = column.substring(column.indexOf('(') + 1, column.indexOf(')'));
        return switch (unit) {
            case "ns" -> 1;
            case "us" -> 1e3;
            case "ms" -> 1e6;
            case "s", "sec" -> 1e9;
            default ->
                throw StageException.input(
                        Problem.of("artifact error", file.toString(), "column '" + column + "' has an unknown unit")
                                .options(List.of("ns", "us", "ms", "s")));
        };
    }
}
