package dev.stagesim.verify.vidur;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.TableTimes;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/** Reads the exported prediction tables of a corpus; each is read once and a few are kept. */
final class ExportedTables {
    private static final int KEPT = 12;

    private final Path root;
    private final Map<String, OperatorTimes> loaded = new LinkedHashMap<>(16, 0.75f, true) {
        private static final long serialVersionUID = 1L;

        @Override
        protected boolean removeEldestEntry(Map.Entry<String, OperatorTimes> eldest) {
            return size() > KEPT;
        }
    };

    ExportedTables(Path root) {
        this.root = root;
    }

    OperatorTimes table(String id, int granularity) throws IOException {
        OperatorTimes known = loaded.get(id);
        if (known == null) {
            known = read(root.resolve(id), granularity);
            loaded.put(id, known);
        }
        return known;
    }

    static OperatorTimes read(Path folder, int granularity) throws IOException {
        if (!Files.isDirectory(folder)) {
            throw new NoSuchFileException(folder.toString());
        }
        TableTimes.Builder builder = TableTimes.builder(granularity);
        for (Operator operator : Operator.values()) {
            Optional<Path> file = GoldenTable.locate(folder, operator.column() + ".csv");
            if (file.isPresent()) {
                read(file.get(), operator, builder);
            }
        }
        return builder.build();
    }

    private static void read(Path file, Operator operator, TableTimes.Builder builder) throws IOException {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(GoldenTable.open(file), StandardCharsets.UTF_8))) {
            in.readLine();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                String[] cells = line.split(",", -1);
                double ms = Double.parseDouble(cells[cells.length - 1]);
                if (cells.length == 3) {
                    builder.add(operator, number(cells[0]), number(cells[1]), ms);
                } else {
                    builder.add(operator, number(cells[0]), number(cells[1]), number(cells[2]), number(cells[3]), ms);
                }
            }
        }
    }

    private static int number(String text) {
        return Integer.parseInt(text);
    }
}
