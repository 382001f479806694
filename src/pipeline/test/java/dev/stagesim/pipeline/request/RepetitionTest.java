package dev.stagesim.pipeline.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.contract.TableFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class RepetitionTest {
    @Test
    void removesTheRepetitionFromTheOverrides() {
        Repetition split =
                Repetition.split(List.of("model=qwen3", "repeat=1", "a.repeat=7", "repeat = 2", "repeats=3"));
        assertThat(split.number()).hasValue(2);
        assertThat(split.overrides()).containsExactly("model=qwen3", "a.repeat=7", "repeats=3");
        assertThat(Repetition.split(List.of("+repeat=1")).number()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "output.format=parquet",
                "output.format = parquet ",
                "+output.format=parquet",
                "++output.format=parquet",
                "output.format=\"parquet\"",
                "+output.format='parquet'"
            })
    void writesTheFormatLikeAnOverride(String word) {
        Repetition split = Repetition.split(List.of("a=b", word));
        assertThat(split.format()).hasValue(TableFormat.PARQUET);
        assertThat(split.overrides()).containsExactly("a=b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"output.format=\"parquet", "output.format='parquet\"", "output.format=\"parqet\""})
    void rejectsOtherFormats(String word) {
        assertThatThrownBy(() -> Repetition.split(List.of(word)))
                .hasMessageContaining("no such format of tables")
                .hasMessageContaining("csv, parquet, parquet_gzip");
    }
}
