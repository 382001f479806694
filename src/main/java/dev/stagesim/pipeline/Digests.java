package dev.stagesim.pipeline;

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

/** SHA-256 of texts, files and directories. */
public final class Digests {
    private static final int BUFFER = 1 << 16;

    private Digests() {}

    /**
     * What one pass over a file tells.
     *
     * @param sha256 digest in hex
     * @param rows rows of a table, lines of a JSON-lines file, else empty
     */
    record FileFacts(String sha256, Optional<Long> rows) {}

    public static String sha256(String text) {
        return Sha256.hex(text);
    }

    /** Reads a file once for its digest and its rows. */
    static FileFacts facts(Path file) throws IOException {
        String name = String.valueOf(file.getFileName());
        boolean counted = name.endsWith(".csv") || name.endsWith(".jsonl");
        RowCount rows = new RowCount(name.endsWith(".csv"));
        String sha256 = digest(file, counted ? rows::add : (bytes, length) -> {});
        if (TableFormat.isParquet(name)) {
            return new FileFacts(sha256, Optional.of(ParquetReader.rows(file)));
        }
        return new FileFacts(sha256, counted ? Optional.of(rows.count()) : Optional.empty());
    }

    /** Looks at the bytes of a file. */
    private interface Look {
        void at(byte[] bytes, int length);
    }

    private static String digest(Path file, Look look) throws IOException {
        Sha256 digest = new Sha256();
        try (InputStream in = InputFile.raw(file)) {
            // Small files by the thousand would otherwise leave more garbage than they have bytes.
            byte[] buffer = new byte[bufferSize(in.available())];
            for (int n = in.read(buffer); n >= 0; n = in.read(buffer)) {
                digest.update(buffer, 0, n);
                look.at(buffer, n);
            }
        }
        return digest.hex();
    }

    /** One byte more than a small file has, so that its end is found at once; a large file says 2^31 - 1 bytes at most. */
    static int bufferSize(int available) {
        return Math.min(BUFFER - 1, Math.max(available, 0)) + 1;
    }

    /** Digest of a file, or of the paths and contents of all files below a directory. */
    static String sha256(Path path) throws IOException {
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

        /** A bit in the place of each of the bytes that is such a character. */
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
