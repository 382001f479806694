package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.SettingsSchema;
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
    void tellsOwnSectionsFromThoseHandedOn() {
        assertThat(Sections.passedTo(TestStages.SumSettings.class))
                .isEqualTo(Map.of("numbers", List.of("numbers"), "sum", List.of()));
        assertThat(Sections.own(
                                SettingsSchema.of(TestStages.SumSettings.class).defaults(),
                                TestStages.SumSettings.class)
                        .keys())
                .containsExactly("sum");
    }

    @Test
    void upstreamRequestsLackForeignOverrides() {
        RunRequest request = TestStages.request(new TestStages.SumStage(), "numbers.count=3", "sum.factor=2");
        assertThat(Sections.project(request, new TestStages.SumStage(), new TestStages.NumbersStage())
                        .overrides())
                .containsExactly("numbers.count=3");
    }
}
