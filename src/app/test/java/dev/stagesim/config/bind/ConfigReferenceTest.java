package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.Key;
import dev.stagesim.reference.ReferencePage;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {
    /** Shares the server section and has one of its own. */
    record OtherSettings(
            @Key("What serves the model.") SampleSettings.Server server, @Key("How many|at once. | 2") int jobs) {}

    private static final String PAGE = ConfigReference.markdown(List.of(SampleSettings.class, OtherSettings.class));

    @Test
    void documentsEveryKeyOfEveryVariant() {
        for (Class<? extends Record> root : List.of(SampleSettings.class, OtherSettings.class)) {
            KeyDocs.list(root).stream().filter(key -> !key.isSection()).forEach(key -> assertThat(PAGE)
                    .contains("| `" + key.path() + "` |"));
        }
    }

    @Test
    void givesTypeUnitDefaultRangeAndOptions() {
        assertThat(PAGE)
                .contains("| `lengths.theta` | number |  | `0.6` | > 0 | Exponent. |")
                .contains("| `lengths.max` | integer |  | **required** |  | Most tokens. |")
                .contains("| `lengths.tokens` | integer | tokens | `128` | >= 1 | Tokens of each. |")
                .contains(
                        "| `mode` | one of |  | `best_effort` | `best_effort`, `strict` | How to run. (only sample) |")
                .contains("### lengths.kind=zipf");
    }

    @Test
    void namesWhoUsesASectionAndListsItOnce() {
        assertThat(PAGE).contains("What serves the model. Used by: sample, other.");
        assertThat(PAGE.split("`server.qps`", -1)).hasSize(2);
        assertThat(PAGE).contains("How many\\|at once.");
    }

    @Test
    void aStalePageIsReported() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path page = files.getPath("config.md");
            Files.writeString(page, PAGE);
            ReferencePage.assertUpToDate(page, PAGE);

            Files.writeString(page, PAGE + "x");
            assertThatThrownBy(() -> ReferencePage.assertUpToDate(page, PAGE)).isInstanceOf(AssertionError.class);
        }
    }
}
