package dev.stagesim.pipeline.store;

import dev.stagesim.contract.TableFormat;
import dev.stagesim.io.digest.Sha256;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.parquet.ParquetReader;
import java.io.IOException;
import java.io.InputStream;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.VarHandle;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** Computes SHA-256 digests of texts, files and directories. */
public final class Digests {
    private static final int BUFFER = 1 << 16;

    private Digests() {}

    /**
     * The result of one pass over a file.
     *
     * @param sha256 digest in hex
     * @param rows rows of a table or lines of a JSON-lines file; empty for other files
     */
    public record FileFacts(String sha256, Optional<Long> rows) {}

    public static String sha256(String text) {
        return Sha256.hex(text);
    }

    /** Reads a file once and returns its digest and its number of rows. */
    public static FileFacts facts(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        boolean counted = name.endsWith(".csv") || name.endsWith(".jsonl");
        RowCount rows = new RowCount(name.endsWith(".csv"));
        String sha256 = digest(file, counted ? rows::add : (bytes, length) -> {});
        if (TableFormat.isParquet(name)) {
            return new FileFacts(sha256, Optional.of(ParquetReader.rows(file)));
        }
        return new FileFacts(sha256, counted ? Optional.of(rows.count()) : Optional.empty());
    }

    /** Receives the bytes of a file. */
    private interface Look {
        void at(byte[] bytes, int length);
    }

    private static String digest(Path file, Look look) throws IOException {
        Sha256 digest = new Sha256();
        try (InputStream in = InputFile.raw(file)) {
            // Thousands of small files would otherwise allocate more buffer than content.
            byte[] buffer = new byte[bufferSize(in.available())];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
                look.at(buffer, n);
            }
        }
        return digest.hex();
    }

    /**
     * Returns the buffer size: one byte more than a small file, so that one read reaches its end. A large file reports
     * at most 2^31 - 1 available bytes.
     */
    static int bufferSize(int available) {
        return Math.min(BUFFER - 1, Math.max(available, 0)) + 1;
    }

    /** Returns the digest of a file, or of the paths and contents of all files below a directory. */
    public static String sha256(Path path) throws IOException {
        if (!Files.isDirectory(path)) {
            return digest(path, (bytes, length) -> {});
        }
        StringBuilder all = new StringBuilder();
        for (Path file : filesBelow(path)) {
            all.append(relative(path, file))
                    .append('\0')
                    .append(digest(file, (bytes, length) -> {}))
                    .append('\n');
        }
        return sha256(all.toString());
    }

    /** Returns the regular files below a directory, sorted by relative path. */
    public static List<Path> filesBelow(Path dir) throws IOException {
        try (Stream<Path> files = Files.walk(dir)) {
            // Names are computed once instead of per comparison.
            NavigableMap<String, Path> sorted = new TreeMap<>();
            files.filter(Files::isRegularFile).forEach(file -> sorted.put(relative(dir, file), file));
            return List.copyOf(sorted.values());
        }
    }

    /** Returns the path relative to a directory, with slashes. */
    public static String relative(Path dir, Path file) {
        return dir.relativize(file).toString().replace('\\', '/');
    }

    /** Counts records: line ends outside quotes, and a last line without a line end. */
    private static final class RowCount {
        private static final VarHandle LONGS =
                MethodHandles.byteArrayViewVarHandle(long[].class, ByteOrder.LITTLE_ENDIAN);
        private static final long EACH = 0x0101010101010101L;
        private static final long LOW = EACH * 0x7f;
        private final boolean csv;
        private long lines;
        private boolean quoted;
        private boolean open;

        RowCount(boolean csv) {
            this.csv = csv;
        }

        void add(byte[] bytes, int length) {
            int i = 0;
            for (; i + Long.BYTES <= length; i += Long.BYTES) {
                long eight = (long) LONGS.get(bytes, i);
                if (csv && same(eight, '"') != 0) {
                    add(bytes, i, i + Long.BYTES);
                } else if (!quoted) {
                    lines += Long.bitCount(same(eight, '\n'));
                }
            }
            add(bytes, i, length);
            open = length > 0 ? bytes[length - 1] != '\n' : open;
        }

        /** Returns a word with the high bit of every byte that equals {@code character}. */
        private static long same(long bytes, char character) {
            long other = bytes ^ EACH * character;
            return ~(((other & LOW) + LOW) | other | LOW);
        }

        private void add(byte[] bytes, int from, int to) {
            for (int i = from; i < to; i++) {
                byte b = bytes[i];
                if (b == '\n' && !quoted) {
                    lines++;
                } else if (b == '"' && csv) {
                    quoted = !quoted;
                }
            }
        }

        long count() {
            long records = lines + (open ? 1 : 0);
            return csv ? Math.max(records - 1, 0) : records;
        }
    }
}
