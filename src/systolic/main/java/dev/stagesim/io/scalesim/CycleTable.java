package dev.stagesim.io.scalesim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Reads tables of measured cycles: {@code name,forward,input_gradient,weight_gradient}. */
public final class CycleTable {
    private static final String CATEGORY = "cycle table error";
    private static final int COLUMNS = 4;

    private CycleTable() {}

    /** Reads a table; returns the cycles of each pass by layer. */
    public static Map<String, List<Long>> read(Path file) throws IOException {
        List<Problem> problems = new ArrayList<>();
        Map<String, List<Long>> cycles = new LinkedHashMap<>();
        List<String> lines = TextLines.read(file, CATEGORY);
        for (int i = 1; i < lines.size(); i++) {
            String[] cells = lines.get(i).strip().split(",", -1);
            if (lines.get(i).isBlank()) {
                continue;
            }
            List<Long> passes = new ArrayList<>();
            for (int column = 1; column < cells.length; column++) {
                if (cells[column].strip().matches("[0-9]{1,18}")) {
                    passes.add(Long.parseLong(cells[column].strip()));
                }
            }
            if (cells.length != COLUMNS || passes.size() != COLUMNS - 1) {
                problems.add(Problem.of(
                        CATEGORY,
                        file + ":" + (i + 1),
                        "expected a name and three whole numbers of cycles, found '" + lines.get(i) + "'"));
            } else if (cycles.put(cells[0], passes) != null) {
                problems.add(Problem.of(CATEGORY, file + ":" + (i + 1), "layer '" + cells[0] + "' occurs twice"));
            }
        }
        StageException.refuse(problems);
        return cycles;
    }
}
