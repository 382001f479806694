package dev.stagesim.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyRecordTest {
    /** Two keys. */
    public record Pair(@Key("One. | 3 | 0..") int one, @Key("Two. | a") String two) {}

    @Test
    void whatIsNotGivenHasItsDefault() {
        assertThat(KeyRecord.of(Pair.class, Map.of("two", "b"))).isEqualTo(new Pair(3, "b"));
        assertThat(KeyRecord.with(Pair.class, new Pair(5, "b"), Map.of("two", "c")))
                .isEqualTo(new Pair(5, "c"));
    }

    @Test
    void namesOfNoComponentAreRefused() {
        assertThatThrownBy(() -> KeyRecord.of(Pair.class, Map.of("tow", "b")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("has no components [tow]");
        assertThatThrownBy(() -> KeyRecord.with(Pair.class, new Pair(5, "b"), Map.of("three", 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }
}
