package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import org.junit.jupiter.api.Test;

final class RepetitionTest {
    @Test
    void takesTheWordOutOfTheOverrides() {
        Repetition split =
                Repetition.split(List.of("model=qwen3", "repeat=1", "a.repeat=7", "repeat = 2", "repeats=3"));
        assertThat(split.number()).hasValue(2);
        assertThat(split.overrides()).containsExactly("model=qwen3", "a.repeat=7", "repeats=3");
        assertThat(Repetition.split(List.of("+repeat=1")).number()).isEmpty();
    }
}
