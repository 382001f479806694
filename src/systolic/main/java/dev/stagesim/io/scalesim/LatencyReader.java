package dev.stagesim.io.scalesim;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.spec.ArraySpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Reads recorded memory latencies, one whole number per line. */
public final class LatencyReader {
    private static final String CATEGORY = "latency error";

    private LatencyReader() {}

    /** Returns the array with the latencies recorded for a layer. */
    public static ArraySpec apply(ArraySpec array, Path directory, int layer) throws IOException {
        return array.withLatencies(
                read(directory, "ifmap", layer), read(directory, "filter", layer), read(directory, "ofmap", layer));
    }

    /** Reads the latencies of one operand of one layer, {@code _<operand>File<layer>.txt}. */
    private static List<Integer> read(Path directory, String operand, int layer) throws IOException {
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
