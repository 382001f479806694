package dev.stagesim.io.gzip;

import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.bench.ReplayJournal;
import dev.stagesim.config.hocon.ConfigFileReader;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.parquet.ParquetReader;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Every reader rejects pipes, devices, directories and loops of links, and names the file. */
@Timeout(60)
final class SpecialFilesTest {
    private interface Opening {
        Object open(Path file) throws IOException;
    }

    private static final List<Opening> OPENINGS = List.of(
            InputFile::open,
            InputFile::raw,
            InputFile::bytes,
            InputFile::rawBytes,
            InputFile::text,
            InputFile::lines,
            InputFile::channel,
            Json::read,
            Yaml::read,
            ParquetReader::open,
            TableFile::raw,
            file -> ConfigFileReader.read(file, file.toAbsolutePath().getParent()),
            file -> ReplayJournal.open(file, "replay", "salt"));

    private static List<Path> odd(Path dir) throws Exception {
        List<Path> odd = new ArrayList<>();
        odd.add(Files.createDirectory(dir.resolve("directory.json")));
        Path loop = dir.resolve("a.json");
        odd.add(Files.createSymbolicLink(loop, dir.resolve("b.json")));
        Files.createSymbolicLink(dir.resolve("b.json"), loop);
        odd.add(loop.resolve("below.json"));
        if (Files.exists(Path.of("/dev/zero"))) {
            odd.add(Path.of("/dev/zero"));
            odd.add(Files.createSymbolicLink(dir.resolve("zero.json"), Path.of("/dev/zero")));
        }
        Path pipe = dir.resolve("pipe.json");
        if (new ProcessBuilder("mkfifo", pipe.toString()).start().waitFor() == 0) {
            odd.add(pipe);
        }
        return odd;
    }

    @Test
    void reportsSpecialFilesAsInputErrors(@TempDir Path dir) throws Exception {
        for (Path file : odd(dir)) {
            for (int i = 0; i < OPENINGS.size(); i++) {
                Opening opening = OPENINGS.get(i);
                assertThatThrownBy(() -> opening.open(file), "opening %d of %s", i, file)
                        .isInstanceOfSatisfying(
                                StageException.class, e -> org.assertj.core.api.Assertions.assertThat(e.kind())
                                        .isEqualTo(StageException.Kind.INPUT))
                        .hasMessageContaining(file.toString());
            }
        }
    }

    @Test
    void reportsFilesWithoutPermissionAsInputErrors(@TempDir Path dir) throws IOException {
        Path file = Files.writeString(dir.resolve("secret.json"), "{}");
        Files.setPosixFilePermissions(file, java.util.Set.of());
        assumeTrue(!Files.isReadable(file), "root reads everything");
        assertThatThrownBy(() -> Json.read(file))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("permission");
    }
}
