package dev.stagesim.config.interp;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class KeyPathsTest {
    @ParameterizedTest
    @CsvSource({"a,a", "a.b,a|b", "a[b],a|b", "[a].b,a|b", "[a][b].c[0],a|b|c|0", "a.,a|", "a[b.c],a|b.c"})
    void splitsAtDotsAndBrackets(String path, String parts) {
        assertThat(KeyPaths.split(path)).isEqualTo(List.of(parts.split("\\|", -1)));
    }
}
