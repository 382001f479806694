package dev.stagesim.pipeline.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.pipeline.TestStages;
import dev.stagesim.stage.StageContext.SameAs;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class SectionsTest {
    @ParameterizedTest
    @CsvSource({
        "numbers.count=3, numbers, numbers.count",
        "++numbers.count=3, numbers, numbers.count",
        "~numbers.step, numbers, numbers.step",
        "numbers=few, numbers, numbers",
        "+numbers@other=few, numbers, numbers@other",
        "numbers/sub=few, numbers, numbers/sub",
        "sum.mode=a=b, sum, sum.mode"
    })
    void readsTheKeyOfAnOverride(String override, String section, String key) {
        assertThat(Sections.of(override)).isEqualTo(section);
        assertThat(Sections.key(override)).isEqualTo(key);
    }

    @Test
    void distinguishesOwnSectionsFromForwardedOnes() {
        assertThat(Sections.passedTo(TestStages.SumSettings.class))
                .isEqualTo(Map.of("numbers", List.of("numbers"), "sum", List.of()));
        assertThat(Sections.own(
                                SettingsSchema.of(TestStages.SumSettings.class).defaults(),
                                TestStages.SumSettings.class)
                        .keys())
                .containsExactly("sum");
    }

    @Test
    void omitsForeignOverridesFromUpstreamRequests() {
        RunRequest request = TestStages.request(new TestStages.SumStage(), "numbers.count=3", "sum.factor=2");
        assertThat(Sections.project(request, new TestStages.SumStage(), new TestStages.NumbersStage(), Map.of())
                        .overrides())
                .containsExactly("numbers.count=3");
    }

    @Test
    void appliesChangesToUpstreamRequests() {
        RunRequest request =
                TestStages.request(new TestStages.SumStage(), "numbers.count=3", "numbers.step=7", "sum.factor=2");
        Map<String, Object> part = Map.of("numbers.count", 5);
        Map<String, Object> whole = Map.of("numbers", Map.of("count", new SameAs("sum.factor")));
        RunRequest changed = project(request, part);
        assertThat(numbers(changed)).isEqualTo("5 step 7");
        assertThat(changed.overrides()).containsExactly("numbers.count=3", "numbers.step=7");
        RunRequest replaced = project(request, whole);
        assertThat(numbers(replaced)).isEqualTo("2 step 1");
        assertThat(replaced.overrides()).isEmpty();
    }

    private static RunRequest project(RunRequest request, Map<String, Object> changes) {
        return Sections.project(request, new TestStages.SumStage(), new TestStages.NumbersStage(), changes);
    }

    private static String numbers(RunRequest request) {
        TestStages.Numbers numbers = Binder.bind(
                        request.config(), TestStages.NumbersSettings.class, BindOptions.STRICT.projecting())
                .numbers();
        return numbers.count() + " step " + numbers.step();
    }
}
