package dev.stagesim.pipeline;

import dev.stagesim.io.digest.Sha256;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** SHA-256 of texts, files and directories. */
public final class Digests {
    private static final int BUFFER = 1 << 16;

    private Digests() {}

    /**
     * What one pass over a file tells.
     *
     * @param sha256 digest in hex
     * @param rows rows below the header of a CSV file, lines of a JSON-lines file, else empty
     */
    record FileFacts(String sha256, Optional<Long> rows) {}

    public static String sha256(String text) {
        return Sha256.hex(text);
    }

    /** Reads a file once for its digest and its rows. */
    static FileFacts facts(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        RowCount rows = new RowCount(name.endsWith(".csv"));
        boolean counted = name.endsWith(".csv") || name.endsWith(".jsonl");
        Sha256 digest = new Sha256();
        try (InputStream in = Files.newInputStream(file)) {
            // Small files by the thousand would otherwise leave more garbage than they have bytes.
            byte[] buffer = new byte[bufferSize(in.available())];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, n);
                if (counted) {
                    rows.add(buffer, n);
                }
            }
        }
        return new FileFacts(digest.hex(), counted ? Optional.of(rows.count()) : Optional.empty());
    }

    /** One byte more than a small file has, so that its end is found at once; a large file says 2^31 - 1 bytes at most. */
    static int bufferSize(int available) {
        return Math.min(BUFFER - 1, Math.max(available, 0)) + 1;
    }

    /** Digest of a file, or of the paths and contents of all files below a directory. */
    static String sha256(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return facts(path).sha256();
        }
        StringBuilder all = new StringBuilder();
        for (Path file : filesBelow(path)) {
            all.append(relative(path, file))
                    .append('\0')
                    .append(facts(file).sha256())
                    .append('\n');
        }
        return sha256(all.toString());
    }

    /** Regular files below a directory, sorted by their relative path. */
    static List<Path> filesBelow(Path dir) throws IOException {
        try (Stream<Path> files = Files.walk(dir)) {
            // Names are made once, not at every comparison.
            NavigableMap<String, Path> sorted = new TreeMap<>();
            files.filter(Files::isRegularFile).forEach(file -> sorted.put(relative(dir, file), file));
            return List.copyOf(sorted.values());
        }
    }

    /** Path below a directory, with slashes. */
    static String relative(Path dir, Path file) {
        return dir.relativize(file).toString().replace('\\', '/');
    }

    /** Counts records: line ends outside quotes, and a last line without one. */
    private static final class RowCount {
        private final boolean csv;
        private long lines;
        private boolean quoted;
        private boolean open;

        RowCount(boolean csv) {
            this.csv = csv;
        }

        void add(byte[] bytes, int length) {
            for (int i = 0; i < length; i++) {
                byte b = bytes[i];
                if (b == '\n' && !quoted) {
                    lines++;
                } else if (b == '"' && csv) {
                    quoted = !quoted;
                }
            }
            open = length > 0 ? bytes[length - 1] != '\n' : open;
        }

        long count() {
            long records = lines + (open ? 1 : 0);
            return csv ? Math.max(records - 1, 0) : records;
        }
    }
}
