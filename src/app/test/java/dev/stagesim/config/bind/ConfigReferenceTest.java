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
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class ConfigReferenceTest {
    /** Has the shared server section and a section that no other settings have. */
    record OtherSettings(
            @Key("What serves the model.") SampleSettings.Server server, @Key("How many|at once. | 2") int jobs) {}

    private static final Map<String, Class<? extends Record>> ROOTS =
            new TreeMap<>(Map.of("Stage sample", SampleSettings.class, "Stage other", OtherSettings.class));
    private static final String PAGE = ConfigReference.markdown(ROOTS);

    @Test
    void leadsToEveryKeyOfEveryKind() {
        ConfigReferenceLinks.assertLeadsToAllKeys(PAGE, ROOTS);
    }

    @Test
    void givesTypeUnitDefaultRangeAndOptions() {
        assertThat(PAGE)
                .contains("| `theta` | number, > 0 | `0.6` | Exponent. |")
                .contains("| `max` | integer | **required** | Most tokens. |")
                .contains("| `tokens` | integer, tokens, >= 1 | `128` | Tokens of each. |")
                .contains("| `mode` | one of `best_effort`, `strict` | `best_effort` | How to run. |")
                .contains("#### `lengths.kind=zipf`");
    }

    @Test
    void listsASectionOnceWhenTwoStagesUseIt() {
        assertThat(PAGE.split("\\| `qps`", -1)).hasSize(2);
        assertThat(PAGE.split("\\(#server\\)", -1)).hasSize(3);
        assertThat(PAGE).contains("How many\\|at once.");
    }

    @Test
    void failsTheSearchForKeysWhenARowIsMissing() {
        String shorter = PAGE.replaceFirst("\\| `qps`.*\n", "");
        assertThatThrownBy(() -> ConfigReferenceLinks.assertLeadsToAllKeys(shorter, ROOTS))
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("server.qps");
    }

    @Test
    void reportsAStalePage() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path page = files.getPath("config.md");
            Files.writeString(page, PAGE);
            ReferencePage.assertUpToDate(page, PAGE);

            Files.writeString(page, PAGE + "x");
            assertThatThrownBy(() -> ReferencePage.assertUpToDate(page, PAGE)).isInstanceOf(AssertionError.class);
        }
    }
}
