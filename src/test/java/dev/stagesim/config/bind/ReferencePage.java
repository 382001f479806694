package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** Compares a committed reference page with what the code says now. */
public final class ReferencePage {
    private static final String UPDATE = "stagesim.updateReferences";

    private ReferencePage() {}

    /** Asserts that {@code page} holds {@code generated}; with -Dstagesim.updateReferences=true, writes it instead. */
    public static void assertUpToDate(Path page, String generated) throws IOException {
        if (Boolean.getBoolean(UPDATE)) {
            Files.createDirectories(page.toAbsolutePath().getParent());
            Files.writeString(page, generated);
            return;
        }
        assertThat(page)
                .as("generated page; run the test with -D%s=true", UPDATE)
                .exists();
        assertThat(Files.readString(page))
                .as("%s differs from the code; run the test with -D%s=true", page, UPDATE)
                .isEqualTo(generated);
    }
}
