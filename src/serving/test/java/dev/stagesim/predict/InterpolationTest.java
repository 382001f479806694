package dev.stagesim.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.Extrapolation;
import dev.stagesim.model.StageException;
import java.util.EnumMap;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.OptionalInt;
import org.junit.jupiter.api.Test;

final class InterpolationTest {
    private static Profile profile() {
        Map<Operator, Curve> curves = new EnumMap<>(Operator.class);
        curves.put(Operator.ADD, new Curve(new double[] {1, 100}, new double[] {1, 100}));
        curves.put(Operator.MLP_ACT, new Curve(new double[] {1, 80}, new double[] {2, 2}));
        curves.put(Operator.ATTN_KV_CACHE_SAVE, Curve.zero(1));
        Surface prefill =
                new Surface(new int[] {0, 200, 0, 200}, new int[] {1, 1, 90, 90}, new double[] {1, 3, 10, 30});
        Surface decode = new Surface(new int[] {0, 300, 0, 300}, new int[] {1, 1, 7, 7}, new double[] {1, 4, 5, 9});
        return new Profile("a bundle", curves, prefill, decode);
    }

    private static Range range(OptionalInt tokens, OptionalInt batch, OptionalInt kv, OptionalInt chunk) {
        return new Range(64, tokens, batch, kv, chunk);
    }

    private static OperatorTimes fit(Range range, Extrapolation extrapolation) {
        return new Interpolation(range, extrapolation, OptionalDouble.of(0.2)).fit(profile());
    }

    @Test
    void coversTheSizesOfAllOperators() {
        OperatorTimes times = fit(Range.measured(64), Extrapolation.NONE);
        assertThat(times.coverage()).isEqualTo(new OperatorTimes.Coverage(80, 7, 192, 80, 64));
        assertThat(times.milliseconds(Operator.ADD, 80)).isEqualTo(80);
        assertThat(times.milliseconds(Operator.ATTN_KV_CACHE_SAVE, 80)).isZero();
        assertThat(times.prefillMilliseconds(0, 1)).isEqualTo(1);
        assertThat(times.decodeMilliseconds(4, 0)).isEqualTo(3);
    }

    @Test
    void reportsOperatorSizeAndRangeOutsideTheCoverage() {
        OperatorTimes times = fit(Range.measured(64), Extrapolation.NONE);
        assertThatThrownBy(() -> times.milliseconds(Operator.ADD, 81))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("add: tokens 81 is outside 1 to 80");
        assertThatThrownBy(() -> times.decodeMilliseconds(8, 0)).hasMessageContaining("batch size 8 is outside 1 to 7");
        assertThatThrownBy(() -> times.decodeMilliseconds(1, 256))
                .hasMessageContaining("KV length 256 is outside 0 to 192");
        assertThatThrownBy(() -> times.prefillMilliseconds(0, 81)).hasMessageContaining("chunk 81 is outside 1 to 80");
        assertThatThrownBy(() -> times.prefillMilliseconds(256, 1))
                .hasMessageContaining("KV length 256 is outside 0 to 192");
        assertThatThrownBy(() -> times.milliseconds(Operator.SCHEDULE, 1))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("do not have this operator");
    }

    @Test
    void reportsAllRangesBeyondTheMeasurements() {
        Range range = range(OptionalInt.of(1000), OptionalInt.of(8), OptionalInt.of(4096), OptionalInt.empty());
        assertThatThrownBy(() -> fit(range, Extrapolation.NONE))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(
                        "predictor.range.max_tokens: 1000 is beyond the measured maximum, expected at most 80")
                .hasMessageContaining("predictor.range.max_batch_size")
                .hasMessageContaining("predictor.range.max_kv_tokens")
                .hasMessageContaining("predictor.extrapolation=linear");
    }

    @Test
    void extrapolatesLinearly() {
        Range range = range(OptionalInt.of(1000), OptionalInt.of(13), OptionalInt.of(640), OptionalInt.of(200));
        OperatorTimes times = fit(range, Extrapolation.LINEAR);
        assertThat(times.milliseconds(Operator.ADD, 1000)).isEqualTo(1000);
        assertThat(times.milliseconds(Operator.MLP_ACT, 1000)).isEqualTo(2);
        assertThat(times.decodeMilliseconds(13, 0)).isEqualTo(9);
        assertThat(times.prefillMilliseconds(640, 1)).isGreaterThan(times.prefillMilliseconds(192, 1));
    }

    @Test
    void keepsASmallerRange() {
        Range range = range(OptionalInt.of(10), OptionalInt.of(2), OptionalInt.of(64), OptionalInt.of(5));
        OperatorTimes times = fit(range, Extrapolation.NONE);
        assertThat(times.coverage()).isEqualTo(new OperatorTimes.Coverage(10, 2, 64, 5, 64));
        assertThatThrownBy(() -> times.milliseconds(Operator.ADD, 11)).isInstanceOf(StageException.class);
    }
}
