package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.FormerKeys;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyNames;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.KeyVariants;
import dev.stagesim.model.Variant;
import dev.stagesim.pipeline.StageRegistry;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.util.HashSet;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class FormerKeysTest {
    @FormerKeys(value = "old=rate", removed = "gone=use rate")
    record Section(@Key("A rate. | 1 | 0..9") int rate) {}

    sealed interface Kind permits Kind.Some {
        @FormerKeys("old=rate")
        @Variant("some | One kind.")
        record Some(@Key("A rate. | 1 | 0..9") int rate) implements Kind {}
    }

    @FormerKeys(removed = "top=nothing replaces it")
    record Settings(
            @Key("A section. | {}") Section inner, @Key("A section with kinds. | { kind = some }") Kind choice) {}

    @ParameterizedTest
    @CsvSource({
        "'', top, top: was removed, nothing replaces it",
        "inner, gone, inner.gone: was removed, use rate",
        "inner, old, inner.old: has a new name: inner.rate, write rate instead of old",
        "choice, old, choice.old: has a new name: choice.rate, write rate instead of old"
    })
    void explainsAFormerKey(String parent, String key, String what, String hint) {
        assertThat(SettingsSchema.of(Settings.class).former(parent, key))
                .hasValueSatisfying(problem -> assertThat(problem.render()).contains(what, hint));
    }

    /** In the settings of every stage, a former key no longer exists, and its replacement does. */
    @Test
    void refersToPresentKeysFromFormerOnes() {
        Set<Class<?>> seen = new HashSet<>();
        StageRegistry.standard().stages().forEach(stage -> visit(stage.spec().settings(), seen));
        assertThat(seen).hasSizeGreaterThan(20).anyMatch(type -> type.isAnnotationPresent(FormerKeys.class));
        for (Class<?> type : seen) {
            FormerKeys former = type.getAnnotation(FormerKeys.class);
            if (former == null) {
                continue;
            }
            Set<String> keys = KeyRecord.components(type).stream()
                    .map(component -> KeyNames.snake(component.getName()))
                    .collect(Collectors.toSet());
            for (String pair : former.value()) {
                assertThat(keys).contains(pair.split("=", 2)[1]).doesNotContain(pair.split("=", 2)[0]);
            }
            for (String pair : former.removed()) {
                assertThat(keys).doesNotContain(pair.split("=", 2)[0]);
                assertThat(pair.split("=", 2)[1]).isNotBlank();
            }
        }
    }

    private static void visit(Type type, Set<Class<?>> seen) {
        if (type instanceof ParameterizedType many) {
            for (Type argument : many.getActualTypeArguments()) {
                visit(argument, seen);
            }
        } else if (type instanceof Class<?> known && KeyVariants.isChoice(known)) {
            for (Class<?> kind : KeyVariants.of(known)) {
                visit(kind, seen);
            }
        } else if (type instanceof Class<?> known && known.isRecord() && seen.add(known)) {
            KeyRecord.components(known).forEach(component -> visit(component.getGenericType(), seen));
        }
    }

    @Test
    void findsNoFormerKeyForOtherKeys() {
        SettingsSchema schema = SettingsSchema.of(Settings.class);
        assertThat(schema.former("", "gone")).isEmpty();
        assertThat(schema.former("inner", "rate")).isEmpty();
        assertThat(schema.former("nowhere", "old")).isEmpty();
    }
}
