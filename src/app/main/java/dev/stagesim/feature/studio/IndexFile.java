package dev.stagesim.feature.studio;

import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.pipeline.store.RunSubject;
import dev.stagesim.sweep.SweepFiles;
import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * File format of the run index between sessions. Every string is stored once, so that 100,000 runs load quickly.
 *
 * <p>The file is a cache: a damaged file or one of another version is ignored.
 */
final class IndexFile {
    private static final long MAGIC = 0x5354_5544_494F_0002L;
    private static final int BUFFER = 1 << 16;

    private IndexFile() {}

    /** Reads the rows of a file; returns an empty list if the file is unusable. */
    static List<RunRow> read(Path file) {
        try {
            return new Reader(InputFile.rawBytes(file)).rows();
        } catch (IOException | RuntimeException unusable) {
            return List.of();
        }
    }

    /** Writes all rows atomically. */
    static void write(Path file, List<RunRow> rows) throws IOException {
        SweepFiles.write(file, to -> {
            try (DataOutputStream out =
                    new DataOutputStream(new BufferedOutputStream(Files.newOutputStream(to), BUFFER))) {
                new Writer(out).rows(rows);
            }
        });
    }

    /** Writes a string in full at its first occurrence and as a number afterwards; the same for lists of names. */
    private static final class Writer {
        private final DataOutputStream out;
        private final Map<String, Integer> texts = new HashMap<>();
        private final Map<List<String>, Integer> lists = new HashMap<>();
        private final Map<List<String>, List<String>> before = new HashMap<>();

        Writer(DataOutputStream out) {
            this.out = out;
        }

        void rows(List<RunRow> rows) throws IOException {
            out.writeLong(MAGIC);
            number(rows.size());
            for (RunRow row : rows) {
                text(row.stage());
                text(row.id());
                out.writeLong(row.stamp());
                text(row.state());
                text(row.ended());
                out.writeDouble(row.seconds());
                text(row.model());
                text(row.hardware());
                text(row.subject().engine());
                text(row.subject().workload());
                text(row.overrides());
                number(row.warnings());
                keys(row.keys());
                names(row.figures().names());
                for (double value : row.figures().values()) {
                    out.writeDouble(value);
                }
            }
            out.writeLong(MAGIC);
        }

        /**
         * Writes only the differences from the previous row with the same names, because the jobs of a sweep differ
         * little.
         */
        private void keys(RunRow.Keys keys) throws IOException {
            names(keys.names());
            List<String> last = before.getOrDefault(keys.names(), List.of());
            int[] changed = IntStream.range(0, keys.values().size())
                    .filter(i ->
                            last.isEmpty() || !last.get(i).equals(keys.values().get(i)))
                    .toArray();
            number(changed.length);
            for (int i : changed) {
                number(i);
                text(keys.values().get(i));
            }
            before.put(keys.names(), keys.values());
        }

        private void names(List<String> names) throws IOException {
            Integer known = lists.putIfAbsent(names, lists.size() + 1);
            number(known == null ? 0 : known);
            if (known == null) {
                number(names.size());
                for (String name : names) {
                    text(name);
                }
            }
        }

        private void text(String text) throws IOException {
            Integer known = texts.putIfAbsent(text, texts.size() + 1);
            number(known == null ? 0 : known);
            if (known == null) {
                byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
                number(bytes.length);
                out.write(bytes);
            }
        }

        private void number(int value) throws IOException {
            int left = value;
            while (left > 0x7F) {
                out.writeByte((left & 0x7F) | 0x80);
                left >>>= 7;
            }
            out.writeByte(left);
        }
    }

    private static final class Reader {
        private final byte[] bytes;
        private final List<String> texts = new ArrayList<>();
        private final List<List<String>> lists = new ArrayList<>();
        private final IdentityHashMap<List<String>, String[]> before = new IdentityHashMap<>();
        private int at;

        Reader(byte[] bytes) {
            this.bytes = bytes;
        }

        List<RunRow> rows() throws IOException {
            if (whole() != MAGIC) {
                throw new IOException("another version");
            }
            int count = number();
            List<RunRow> rows = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                rows.add(RunRow.of(
                        text(),
                        text(),
                        whole(),
                        text(),
                        text(),
                        decimal(),
                        new RunSubject(text(), text(), text(), text()),
                        text(),
                        number(),
                        keys(),
                        figures()));
            }
            if (whole() != MAGIC) {
                throw new IOException("the file is truncated");
            }
            return rows;
        }

        private RunRow.Keys keys() {
            List<String> names = names();
            String[] values =
                    before.getOrDefault(names, new String[names.size()]).clone();
            for (int left = number(); left > 0; left--) {
                values[number()] = text();
            }
            before.put(names, values);
            return new RunRow.Keys(names, List.of(values));
        }

        private RunRow.Figures figures() {
            List<String> names = names();
            Double[] values = new Double[names.size()];
            for (int i = 0; i < values.length; i++) {
                values[i] = decimal();
            }
            return new RunRow.Figures(names, List.of(values));
        }

        private List<String> names() {
            int known = number();
            if (known > 0) {
                return lists.get(known - 1);
            }
            List<String> names = new ArrayList<>();
            for (int left = number(); left > 0; left--) {
                names.add(text());
            }
            List<String> list = List.copyOf(names);
            lists.add(list);
            return list;
        }

        private String text() {
            int known = number();
            if (known > 0) {
                return texts.get(known - 1);
            }
            int length = number();
            String text = new String(bytes, at, length, StandardCharsets.UTF_8);
            at += length;
            texts.add(text);
            return text;
        }

        private long whole() {
            long value = ByteBuffer.wrap(bytes, at, Long.BYTES).getLong();
            at += Long.BYTES;
            return value;
        }

        private double decimal() {
            return Double.longBitsToDouble(whole());
        }

        private int number() {
            int value = 0;
            for (int shift = 0; ; shift += 7) {
                int next = bytes[at++];
                value |= (next & 0x7F) << shift;
                if (next >= 0) {
                    return value;
                }
            }
        }
    }
}
