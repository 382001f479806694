package dev.stagesim.verify.vidur;

import dev.stagesim.io.gzip.InputFile;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A CSV file of the corpus, plain or gzipped. Its values contain no commas or quotes. */
record GoldenTable(String name, List<String> columns, List<String[]> rows) {

    /** Finds {@code name} or {@code name.gz} in a folder. */
    static Optional<Path> locate(Path folder, String name) {
        Path plain = folder.resolve(name);
        Path zipped = folder.resolve(name + ".gz");
        return Files.exists(plain) ? Optional.of(plain) : Files.exists(zipped) ? Optional.of(zipped) : Optional.empty();
    }

    static GoldenTable read(Path file) throws IOException {
        try (BufferedReader in =
                new BufferedReader(new InputStreamReader(InputFile.open(file), StandardCharsets.UTF_8))) {
            String header = in.readLine();
            List<String> columns = List.of((header == null ? "" : header).split(",", -1));
            List<String[]> rows = new ArrayList<>();
            for (String line = in.readLine(); line != null; line = in.readLine()) {
                rows.add(line.split(",", -1));
            }
            return new GoldenTable(file.getFileName().toString(), columns, rows);
        }
    }

    int column(String columnName) {
        int at = columns.indexOf(columnName);
        if (at < 0) {
            throw new IllegalArgumentException(name + " has no column " + columnName);
        }
        return at;
    }
}
