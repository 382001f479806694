package dev.stagesim.settings;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

/** Variants are listed as they are written: a compiler orders them as it likes where nothing is said. */
class VariantOrderTest {
    private static final Path SOURCES =
            Path.of(System.getProperty("stagesim.home", "."), "src/pipeline/main/java/dev/stagesim/settings");
    private static final Pattern SEALED = Pattern.compile("sealed interface \\w+[^{]*\\{");

    @Test
    void everySealedInterfaceSaysWhatItPermits() throws Exception {
        int found = 0;
        try (Stream<Path> files = Files.list(SOURCES)) {
            for (Path file :
                    files.filter(path -> path.toString().endsWith(".java")).toList()) {
                Matcher sealed = SEALED.matcher(Files.readString(file));
                while (sealed.find()) {
                    assertThat(sealed.group()).as("%s", file).contains(" permits ");
                    found++;
                }
            }
        }
        assertThat(found).isGreaterThan(10);
    }
}
