package dev.stagesim.io.chakra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.verify.Corpora;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Reading and writing every trace of the recorded corpora gives the same bytes. */
class EtCorpusTest {
    @Test
    void rewritesRecordedTraces() throws IOException {
        int count = 0;
        for (Path file : traces(Corpora.beside(""))) {
            byte[] bytes = Files.readAllBytes(file);
            boolean isPlain = bytes.length > 1 && bytes[0] != 0x1f;
            // An error case may end within a message.
            if (isPlain && bytes.length < 1 << 22 && !file.toString().contains("trunc")) {
                ByteArrayOutputStream out = new ByteArrayOutputStream();
                try {
                    copy(file, out);
                } catch (StageException damaged) {
                    assertThat(file.toString()).containsPattern("garbage|nometa|no_metadata|corrupt|err");
                    continue;
                }
                assertThat(out.toByteArray()).as("%s", file).isEqualTo(bytes);
                count++;
            }
        }
        assertThat(count).isGreaterThan(100);
    }

    private static List<Path> traces(Path corpus) throws IOException {
        try (Stream<Path> files = Files.walk(corpus)) {
            return files.filter(file -> file.toString().endsWith(".et"))
                    .filter(Files::isRegularFile)
                    .sorted()
                    .toList();
        }
    }

    private static void copy(Path file, ByteArrayOutputStream out) throws IOException {
        try (EtReader reader = EtReader.open(file);
                EtWriter writer = EtWriter.of(out, reader.metadata())) {
            if (!reader.hasMetadata()) {
                // The copy differs from the original only by its empty metadata.
                writer.flush();
                out.reset();
            }
            for (EtNode node = reader.next(); node != null; node = reader.next()) {
                writer.write(node);
            }
        }
    }
}
