package dev.stagesim.io.chakra;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests which files belong to a set of traces. */
final class TraceSetTest {
    @ParameterizedTest
    @CsvSource({
        "t.20.et, '', true",
        "20.et, '', true",
        "a.b.7.eg.gz, '', true",
        "t.20.et, t., true",
        "t.20.et, u., false",
        "t.1.20.et, t., false",
        "t.et, '', false",
        "../t.20.et, '', false",
        "a/20.et, '', false",
        "a\\t.20.et, '', false"
    })
    void acceptsOnlyNamesThatEndInARank(String name, String beginning, boolean isTrace) {
        assertThat(TraceSet.isTrace(name, beginning)).isEqualTo(isTrace);
    }
}
