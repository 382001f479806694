package dev.stagesim.config.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.grammar.Dialect;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class GlobPatternTest {
    @ParameterizedTest
    @CsvSource({
        "*, abc, true",
        "a*c, abbc, true",
        "a*c, abcd, false",
        "a?c, abc, true",
        "a?c, ac, false",
        "[ab]1, b1, true",
        "[!ab]1, b1, false",
        "[!ab]1, c1, true",
        "[a-c]x, bx, true",
        "[a-c]x, dx, false",
        "[]]x, ]x, true",
        "[ab, [ab, true",
        "*.ext, file.ext, true",
        "A*, abc, false",
        "**a**b, xxaxxb, true",
    })
    void matchesWholeNames(String pattern, String name, boolean matches) {
        for (Dialect dialect : Dialect.values()) {
            assertThat(new GlobPattern(pattern, dialect).matches(name)).isEqualTo(matches);
        }
    }

    @Test
    void stopsWildcardsAtSlashesInTheDefaultDialect() {
        assertThat(new GlobPattern("a*", Dialect.STAGE).matches("a/b")).isFalse();
        assertThat(new GlobPattern("a?b", Dialect.STAGE).matches("a/b")).isFalse();
        assertThat(new GlobPattern("*/b", Dialect.STAGE).matches("a/b")).isTrue();
        assertThat(new GlobPattern("a*", Dialect.HYDRA).matches("a/b")).isTrue();
    }
}
