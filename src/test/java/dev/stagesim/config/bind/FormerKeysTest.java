package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FormerKeysTest {
    @FormerKeys(value = "old=rate", removed = "gone=use rate")
    record Section(@Key("A rate. | 1 | 0..9") int rate) {}

    @FormerKeys(removed = "top=nothing replaces it")
    record Settings(@Key("A section. | {}") Section inner) {}

    @ParameterizedTest
    @CsvSource({
        "'', top, top: was removed, nothing replaces it",
        "inner, gone, inner.gone: was removed, use rate",
        "inner, old, inner.old: has a new name: inner.rate, write rate instead of old"
    })
    void aFormerKeyIsExplained(String parent, String key, String what, String hint) {
        assertThat(SettingsSchema.of(Settings.class).former(parent, key))
                .hasValueSatisfying(problem -> assertThat(problem.render()).contains(what, hint));
    }

    @Test
    void otherKeysAreNotFormerOnes() {
        SettingsSchema schema = SettingsSchema.of(Settings.class);
        assertThat(schema.former("", "gone")).isEmpty();
        assertThat(schema.former("inner", "rate")).isEmpty();
        assertThat(schema.former("nowhere", "old")).isEmpty();
    }
}
