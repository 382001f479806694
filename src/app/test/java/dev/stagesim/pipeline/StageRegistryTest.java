package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.pipeline.request.Sections;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.SweepSettings;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class StageRegistryTest {
    private final StageRegistry registry = StageRegistry.standard();

    @Test
    void documentsStagesAndTheirSettings() {
        assertThat(registry.stages()).isNotEmpty().allSatisfy(stage -> {
            assertThat(stage.spec().name()).matches("[a-z]+(_[a-z]+)*");
            assertThat(stage.spec().doc()).endsWith(".");
            assertThat(stage.spec().version()).isPositive();
            assertThat(registry.find(stage.spec().name())).hasValue(stage);
            assertThat(Sections.passedTo(stage.spec().settings())).isNotEmpty();
        });
    }

    @Test
    void sharesSectionsAlongAChain() {
        // A stage's tree is projected onto its upstream stages, so a section must have one type.
        Map<String, Type> types = new HashMap<>();
        for (String name : List.of("workload", "real_bench", "vidur_profile", "vidur_sim", "compare")) {
            Stage<?> stage = registry.find(name).orElseThrow();
            for (RecordComponent section : KeyRecord.components(stage.spec().settings())) {
                Type known = types.putIfAbsent(section.getName(), section.getGenericType());
                assertThat(section.getGenericType())
                        .as(stage.spec().name() + ": " + section.getName())
                        .isEqualTo(known == null ? section.getGenericType() : known);
            }
        }
    }

    @Test
    void namesSectionsLikeTheirSchemas() {
        Stream<Class<? extends Record>> stages =
                registry.stages().stream().map(stage -> stage.spec().settings());
        Stream.concat(stages, Stream.of(RunSettings.class, SweepSettings.class))
                .forEach(settings -> assertThat(Sections.names(settings))
                        .containsExactlyElementsOf(
                                SettingsSchema.of(settings).defaults().keys()));
    }

    @Test
    void usesUniqueNames() {
        Stage<?> stage = new TestStages.SumStage();
        assertThatThrownBy(() -> new StageRegistry(List.of(stage, stage))).hasMessageContaining("sum");
        assertThat(registry.names()).doesNotHaveDuplicates();
    }
}
