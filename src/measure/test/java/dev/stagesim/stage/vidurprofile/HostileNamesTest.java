package dev.stagesim.stage.vidurprofile;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.bundle.BundleReader;
import dev.stagesim.io.bundle.BundleRequest;
import dev.stagesim.measure.Defaults;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.config.ProfileDefaults;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** With any card names, a profile writes only to its run directory and can be read. */
final class HostileNamesTest {
    private static final List<String> NAMES = List.of(
            "/work/else",
            "../../else/x",
            "..",
            ".",
            "a/../../../else",
            "a/b/c",
            "a b (c)",
            "nul",
            "x.",
            "a\0b",
            "a\nb",
            "$(touch x)",
            "模型",
            "n".repeat(300),
            "p/" + "n".repeat(300));

    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    @Test
    void writesProfilesOnlyToTheRun() throws IOException {
        Path elsewhere = Files.createDirectories(files.getPath("/work/else"));
        Files.writeString(elsewhere.resolve("mlp.csv"), "precious");
        for (int i = 0; i < NAMES.size(); i++) {
            Path out = Files.createDirectories(files.getPath("/work/runs/" + i));
            Map<String, Long> before = outside(out);
            ModelCard model = KeyRecord.with(ModelCard.class, CardFiles.model("qwen3"), Map.of("name", NAMES.get(i)));
            HardwareCard hardware =
                    KeyRecord.with(HardwareCard.class, CardFiles.hardware("a100"), Map.of("name", NAMES.get(i)));
            new VidurProfileStage()
                    .run(
                            new VidurProfileSettings(
                                    model, hardware, ProfileDefaults.roofline(1, 2), Defaults.engine()),
                            new dev.stagesim.stage.FakeContext(out, Path.of("")));
            assertThat(outside(out)).as(NAMES.get(i)).isEqualTo(before);
            assertThat(BundleReader.read(out, BundleRequest.of(model, hardware)).warnings())
                    .as(NAMES.get(i))
                    .isEmpty();
        }
    }

    /** Returns the files outside of a run with their sizes. */
    private Map<String, Long> outside(Path run) throws IOException {
        Map<String, Long> found = new TreeMap<>();
        try (Stream<Path> all = Files.walk(files.getPath("/"))) {
            for (Path path : all.filter(path -> !path.startsWith(run)).toList()) {
                found.put(path.toString(), Files.isRegularFile(path) ? Files.size(path) : 0);
            }
        }
        return found;
    }
}
