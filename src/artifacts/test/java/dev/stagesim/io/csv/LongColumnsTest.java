package dev.stagesim.io.csv;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class LongColumnsTest {
    /** Returns a stream that reads few bytes at a time, like a network. */
    private static InputStream file(String text, long from) {
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        int start = (int) LongColumns.start(from);
        return new ByteArrayInputStream(bytes, start, bytes.length - start) {
            @Override
            public synchronized int read(byte[] into, int offset, int length) {
                return super.read(into, offset, Math.min(length, 7));
            }
        };
    }

    private static List<String> read(String text, long from, long to, int one, int other) throws IOException {
        List<String> rows = new ArrayList<>();
        LongColumns.read(file(text, from), from, to, one, other, (a, b) -> rows.add(a + " " + b));
        return rows;
    }

    @Test
    void readsEachRowOnceInParts() throws IOException {
        Random random = new Random(3);
        for (int round = 0; round < 300; round++) {
            StringBuilder text = new StringBuilder("a,b,c\n");
            List<String> expected = new ArrayList<>();
            for (int i = random.nextInt(20); i >= 0; i--) {
                long first = random.nextLong() >>> (1 + random.nextInt(62));
                long last = random.nextInt(1000);
                text.append(first)
                        .append(',')
                        .append(random.nextBoolean() ? "" : "12")
                        .append(',')
                        .append(last);
                text.append(i == 0 && random.nextBoolean() ? "" : random.nextBoolean() ? "\n" : "\r\n");
                expected.add(last + " " + first);
            }
            int size = text.length();
            List<String> rows = new ArrayList<>();
            for (long from = 0; from < size; ) {
                long to = Math.min(size, from + 1 + random.nextInt(40));
                rows.addAll(read(text.toString(), from, to, 2, 0));
                from = to;
            }
            assertThat(rows).isEqualTo(expected);
        }
    }

    @Test
    void reportsARowWithoutNumbers() {
        assertThatThrownBy(() -> read("a,b\n1,2\n3,\n", 0, 12, 0, 1))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("byte 8");
        assertThatThrownBy(() -> read("a,b\n1,x\n", 0, 8, 0, 1)).hasMessageContaining("byte 6");
    }
}
