package dev.stagesim.model;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.lang.reflect.RecordComponent;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class KeyRecordTest {
    /** Two keys. */
    public record Pair(@Key("One. | 3 | 0..") int one, @Key("Two. | a") String two) {}

    @Test
    void usesDefaultsOfMissingComponents() {
        assertThat(KeyRecord.of(Pair.class, Map.of("two", "b"))).isEqualTo(new Pair(3, "b"));
        assertThat(KeyRecord.with(Pair.class, new Pair(5, "b"), Map.of("two", "c")))
                .isEqualTo(new Pair(5, "c"));
    }

    /** Keys of collections. */
    public record Collections(
            @Key("Some. | [1, 2]") List<Long> some, @Key("By name. | {}") Map<String, Double> byName) {}

    @Test
    void findsNoDifferenceBetweenEqualCollections() {
        Collections usual = KeyRecord.defaults(Collections.class);
        assertThat(usual).isEqualTo(new Collections(List.of(1L, 2L), Map.of()));
        Collections given = new Collections(new ArrayList<>(List.of(1L, 2L)), new LinkedHashMap<>());
        assertThat(KeyRecord.differences("at", usual, given)).isEmpty();
        assertThat(KeyRecord.differences("at", usual, new Collections(List.of(1L), Map.of("a", 1.0))))
                .containsExactly("at.some", "at.by_name");
    }

    @Test
    void rejectsUnknownComponentNames() {
        assertThatThrownBy(() -> KeyRecord.of(Pair.class, Map.of("tow", "b")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageEndingWith("has no components [tow]");
        assertThatThrownBy(() -> KeyRecord.with(Pair.class, new Pair(5, "b"), Map.of("three", 1)))
                .isInstanceOf(IllegalArgumentException.class);
    }

    /** A record with grouped keys. */
    public record Grouped(@Key("First. | 1 | 0..") int first, @Unwrapped Pair pair, @Key("Last. | 2 | 0..") int last) {}

    @Test
    void componentsOfAnUnwrappedRecordAreOnTheSameLevel() {
        assertThat(KeyRecord.components(Grouped.class))
                .extracting(RecordComponent::getName)
                .containsExactly("first", "one", "two", "last");
        Grouped given = KeyRecord.of(Grouped.class, Map.of("two", "b", "last", 7));
        assertThat(given).isEqualTo(new Grouped(1, new Pair(3, "b"), 7));
        assertThat(KeyRecord.components(Grouped.class))
                .extracting(component -> KeyRecord.value(component, given))
                .containsExactly(1, 3, "b", 7);
        assertThat(KeyRecord.differences("at", KeyRecord.defaults(Grouped.class), given))
                .containsExactly("at.two", "at.last");
    }
}
