package dev.stagesim.config.compose.source;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.hocon.ConfigFileReader;
import org.junit.jupiter.api.Test;

final class EngineTextTest {
    /** The engine does not check its own text at run time. */
    @Test
    void isValidHocon() {
        assertThat(ConfigFileReader.parse(EngineText.TEXT, "engine.conf").body().keys())
                .containsExactly("list", "types", "groups");
    }
}
