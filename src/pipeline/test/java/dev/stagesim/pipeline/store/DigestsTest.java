package dev.stagesim.pipeline.store;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DigestsTest {
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");

    @Test
    void agreesWithThePublishedExample() {
        assertThat(Digests.sha256("abc")).isEqualTo("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }

    @Test
    void digestsFilesOfManyGigabytes() {
        assertThat(Digests.bufferSize(Integer.MAX_VALUE)).isEqualTo(1 << 16);
        assertThat(Digests.bufferSize(3)).isEqualTo(4);
        assertThat(Digests.bufferSize(-1)).isEqualTo(1);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "a.csv|h;|0",
                "a.csv|h;1;2;|2",
                "a.csv|h;1;2|2",
                "a.csv|h;\"x;y\";2|2",
                "a.csv|''|0",
                "a.jsonl|{};{};|2",
                "a.jsonl|{};\"a\"|2"
            })
    void countsRecords(String name, String text, long rows) throws IOException {
        Files.createDirectories(dir);
        Path file = Files.writeString(dir.resolve(name), text.replace(';', '\n'));
        assertThat(Digests.facts(file).rows()).hasValue(rows);
        assertThat(Digests.facts(file).sha256()).isEqualTo(Digests.sha256(text.replace(';', '\n')));
    }

    @Test
    void countsRecordsLikeAByteLoop() throws IOException {
        Random random = new Random(5);
        Files.createDirectories(dir);
        for (int round = 0; round < 300; round++) {
            StringBuilder text = new StringBuilder();
            int rare = 1 + random.nextInt(40);
            int length = random.nextInt(round % 50 == 0 ? 140_000 : 200);
            for (int i = 0; i < length; i++) {
                text.append(
                        random.nextInt(rare) > 0
                                ? "ab,\u00e9\u0102".charAt(random.nextInt(5))
                                : "\n\"\u010a".charAt(random.nextInt(3)));
            }
            for (String name : List.of("r.csv", "r.jsonl")) {
                Path file = Files.writeString(dir.resolve(name), text);
                assertThat(Digests.facts(file).rows())
                        .hasValue(plainRows(Files.readAllBytes(file), name.equals("r.csv")));
            }
        }
    }

    private static long plainRows(byte[] bytes, boolean csv) {
        long lines = 0;
        boolean quoted = false;
        for (byte b : bytes) {
            lines += b == '\n' && !quoted ? 1 : 0;
            quoted ^= csv && b == '"';
        }
        long records = lines + (bytes.length > 0 && bytes[bytes.length - 1] != '\n' ? 1 : 0);
        return csv ? Math.max(records - 1, 0) : records;
    }

    @Test
    void digestsPathsAndContentsOfDirectories() throws IOException {
        Files.createDirectories(dir.resolve("x/sub"));
        Files.writeString(dir.resolve("x/sub/a.txt"), "1");
        Files.writeString(dir.resolve("x/b.txt"), "2");
        String before = Digests.sha256(dir.resolve("x"));
        assertThat(Digests.facts(dir.resolve("x/b.txt")).rows()).isEmpty();
        assertThat(Digests.filesBelow(dir.resolve("x")).stream().map(f -> Digests.relative(dir.resolve("x"), f)))
                .containsExactly("b.txt", "sub/a.txt");
        Files.move(dir.resolve("x/b.txt"), dir.resolve("x/c.txt"));
        assertThat(Digests.sha256(dir.resolve("x"))).isNotEqualTo(before);
    }
}
