package dev.stagesim.reference;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Compares a committed, generated file with the present output of its generator; {@code -Dstagesim.update} rewrites it.
 */
public final class ReferencePage {
    /** Root of the checkout. */
    public static final Path HOME = Path.of(System.getProperty("stagesim.home", "."));

    private static final String UPDATE = "stagesim.update";

    private ReferencePage() {}

    /**
     * Asserts that {@code page} equals {@code generated}. With -Dstagesim.update, writes it first, unless it is on a
     * file system in memory.
     */
    public static void assertUpToDate(Path page, String generated) throws IOException {
        if (System.getProperty(UPDATE) != null && page.getFileSystem() == FileSystems.getDefault()) {
            Files.createDirectories(page.toAbsolutePath().getParent());
            Files.writeString(page, generated);
        }
        assertThat(page)
                .as("generated file; run the test with -D%s to write it", UPDATE)
                .exists();
        assertThat(Files.readString(page))
                .as("%s differs from the code; run the test with -D%s to rewrite it", page, UPDATE)
                .isEqualTo(generated);
    }
}
