package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.bind.Conditions.Condition;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Variant;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConditionsTest {
    enum Mode {
        FAST,
        SLOW_AND_SURE
    }

    sealed interface Source {}

    @Variant("table | From a table.")
    record Table(@Key("Rows. | 1") int rows) implements Source {}

    @Variant("draws | Drawn.")
    record Draws(@Key("Seed. | null") @OnlyIf("mode = slow_and_sure, other | nothing is drawn") Optional<Long> seed)
            implements Source {}

    record Part(
            @Key("Size. | 4") int size,
            @Key("Share. | 0.5") @OnlyIf("size > 4 | small parts are not shared | make it larger") double share,
            @Key("Rows. | []") @OnlyIf("source.kind != draws | nothing is read") List<Integer> rows) {}

    record Root(
            @Key("Mode. | fast") Mode mode,
            @Key("Source. | draws") Source source,
            @Key("Parts. | []") List<Part> parts,
            @Key("Named. | {}") Map<String, Part> named,
            @Key("One. | null") Optional<Part> one,
            @Key("Where. | null") @OnlyIf("one != null | there is none") Optional<String> where,
            @Key("Elsewhere. | 1") @OnlyIf("cluster.size > 3 | the cluster is small") int elsewhere) {}

    private static Root root(Mode mode, Source source, Part... parts) {
        return new Root(mode, source, List.of(parts), Map.of(), Optional.empty(), Optional.empty(), 1);
    }

    private static List<String> found(Root settings) {
        return Conditions.problems(settings).stream().map(Problem::render).toList();
    }

    @Test
    void ignoresConditionsOfKeysAtTheirDefault() {
        assertThat(found(root(Mode.FAST, new Draws(Optional.empty()), new Part(1, 0.5, List.of()))))
                .isEmpty();
    }

    @Test
    void prefersSiblingKeysToKeysOfTheRoot() {
        assertThat(found(root(Mode.FAST, new Table(1), new Part(4, 0.6, List.of()), new Part(5, 0.6, List.of()))))
                .singleElement()
                .asString()
                .contains("parts.0.share", "has no effect: small parts are not shared", "make it larger");
    }

    @Test
    void evaluatesKindsAndValues() {
        assertThat(found(root(Mode.FAST, new Draws(Optional.of(1L)), new Part(1, 0.5, List.of(7)))))
                .hasSize(2)
                .anySatisfy(text -> assertThat(text).contains("source.seed", "nothing is drawn", "leave it out"))
                .anySatisfy(text -> assertThat(text).contains("parts.0.rows", "nothing is read"));
        assertThat(found(root(Mode.SLOW_AND_SURE, new Draws(Optional.of(1L))))).isEmpty();
        assertThat(found(root(Mode.FAST, new Table(3), new Part(1, 0.5, List.of(7)))))
                .isEmpty();
    }

    @Test
    void evaluatesNamedAndOptionalSections() {
        Part wrong = new Part(2, 0.1, List.of());
        Root settings = new Root(
                Mode.FAST, new Table(1), List.of(), Map.of("a", wrong), Optional.of(wrong), Optional.of("x"), 9);
        assertThat(found(settings))
                .as("without a section cluster, the condition has no effect")
                .hasSize(2)
                .anySatisfy(text -> assertThat(text).contains("named.a.share"))
                .anySatisfy(text -> assertThat(text).contains("one.share"));
        assertThat(found(new Root(Mode.FAST, new Table(1), List.of(), Map.of(), Optional.empty(), Optional.of("x"), 1)))
                .singleElement()
                .asString()
                .contains("where", "there is none");
    }

    record Wrong(@Key("A. | 1") @OnlyIf("no condition") int a) {}

    record Unknown(@Key("A. | 1") int a, @Key("B. | 1") @OnlyIf("a ~ 3 | why") int b) {}

    @Test
    void throwsForInvalidConditions() {
        assertThatThrownBy(() -> Conditions.problems(new Wrong(2))).isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> Conditions.problems(new Unknown(2, 2))).isInstanceOf(IllegalStateException.class);
    }

    /** Each condition of the product is readable, and names a key of at least one stage. */
    @Test
    void namesOnlyExistingKeysInConditions() {
        List<String> known = new ArrayList<>();
        List<String> conditions = new ArrayList<>();
        for (Stage<?> stage : StageRegistry.standard().stages()) {
            Class<? extends Record> type = stage.spec().settings();
            KeyDocs.list(type).forEach(key -> known.add(key.path()));
            read(SettingsSchema.of(type).shape(), conditions);
        }
        assertThat(conditions).hasSizeGreaterThan(30);
        assertThat(conditions.stream().filter(key -> !key.isEmpty()))
                .allSatisfy(key -> assertThat(known).contains(key));
    }

    private static void read(Shape shape, List<String> conditions) {
        Shape bare = shape.bare();
        if (bare instanceof Shape.Many many) {
            read(many.element(), conditions);
        } else if (bare instanceof Shape.Open open) {
            read(open.value(), conditions);
        } else if (bare instanceof Shape.Choice choice) {
            choice.variants().all().forEach(section -> read(section, conditions));
        } else if (bare instanceof Shape.Section section) {
            for (Field field : section.fields()) {
                OnlyIf declared = field.component().getAnnotation(OnlyIf.class);
                if (declared != null) {
                    String key = Condition.of(declared).key();
                    boolean isBeside = KeyRecord.components(section.type()).stream()
                            .anyMatch(component -> component.getName().equalsIgnoreCase(key.replace("_", "")));
                    conditions.add(isBeside ? "" : key);
                }
                read(field.shape(), conditions);
            }
        }
    }
}
