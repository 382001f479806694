package dev.stagesim.config;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.ComposeRequest.Mode;
import dev.stagesim.config.grammar.Dialect;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

class ComposeRequestTest {
    @Test
    void keepsItsOverrides() {
        List<String> words = new ArrayList<>(List.of("a=1"));
        ComposeRequest request = ComposeRequest.of("config", words);
        words.add("b=2");
        assertThat(request.overrides()).containsExactly("a=1");
    }

    @Test
    void changesOnePartAtATime() {
        ComposeRequest request = ComposeRequest.of("config", List.of("a=1"))
                .withMode(Mode.MULTIRUN)
                .withDialect(Dialect.HYDRA);
        assertThat(request.configName()).contains("config");
        assertThat(request.mode()).isEqualTo(Mode.MULTIRUN);
        assertThat(request.dialect()).isEqualTo(Dialect.HYDRA);
        assertThat(request.overrides()).containsExactly("a=1");
        assertThat(request.schema()).isEmpty();
    }
}
