package dev.stagesim.io.trace;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Randomly damaged traces give rows or a user error, never a crash. */
class BrokenTracesTest {
    private static final String NOISE = ",\"\n\r{}[]:-.9eE\u00e9\0 xT";

    @Test
    void reportsOrIgnoresDamage() throws IOException {
        Random random = new Random(7);
        int refused = 0;
        int read = 0;
        for (Path fixture : fixtures()) {
            byte[] good = Files.readAllBytes(fixture);
            for (int i = 0; i < 60; i++) {
                Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/f");
                Files.write(file, damaged(good, random));
                try {
                    TraceRows rows =
                            TraceLoader.load(file, TraceCodec.detect(file), String::length, RowFilter.all(() -> 0.5));
                    assertThat(Arrays.stream(rows.prefill()).allMatch(n -> n >= 1))
                            .isTrue();
                    read++;
                } catch (StageException e) {
                    refused++;
                }
            }
        }
        assertThat(refused).isPositive();
        assertThat(read).isPositive();
    }

    private static byte[] damaged(byte[] good, Random random) {
        byte[] bytes = good.clone();
        for (int i = random.nextInt(4); i >= 0; i--) {
            int c = random.nextInt(5) == 0 ? random.nextInt(256) : NOISE.charAt(random.nextInt(NOISE.length()));
            bytes[random.nextInt(bytes.length)] = (byte) c;
        }
        return random.nextInt(4) == 0 ? Arrays.copyOf(bytes, random.nextInt(bytes.length)) : bytes;
    }

    private static List<Path> fixtures() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("tests-data/traces"))) {
            return files.sorted().toList();
        }
    }
}
