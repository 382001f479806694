package dev.stagesim.io.scalesim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads recorded memory latencies, one whole number per line. */
public final class LatencyReader {
    private static final String CATEGORY = "latency error";

    private LatencyReader() {}

    /** Reads the latencies of one operand of one layer, {@code _<operand>File<layer>.txt}. */
    public static List<Integer> read(Path directory, String operand, int layer) throws IOException {
        Path file = directory.resolve("_" + operand + "File" + layer + ".txt");
        if (!Files.isRegularFile(file)) {
            throw StageException.input(Problem.of(CATEGORY, file.toString(), "there are no recorded latencies"));
        }
        List<Integer> latencies = new ArrayList<>();
        List<String> lines = TextLines.read(file, CATEGORY);
        for (int i = 0; i < lines.size(); i++) {
            try {
                if (!lines.get(i).isBlank()) {
                    latencies.add(Integer.parseInt(lines.get(i).strip()));
                }
            } catch (NumberFormatException notANumber) {
                throw StageException.input(
                        Problem.of(CATEGORY, file + ":" + (i + 1), "expected a whole number of cycles"));
            }
        }
        return latencies;
    }
}
