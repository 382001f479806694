package dev.stagesim.predict;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.Arrays;
import java.util.Map;
import java.util.OptionalDouble;
import java.util.function.DoubleUnaryOperator;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

final class HeldOutTest {
    private static Curve curve(int n, DoubleUnaryOperator ms) {
        double[] sizes = IntStream.rangeClosed(1, n).asDoubleStream().toArray();
        return new Curve(sizes, Arrays.stream(sizes).map(ms).toArray());
    }

    private static Surface plane() {
        int[] kv = IntStream.range(0, 64).map(i -> i % 8 * 100).toArray();
        int[] counts = IntStream.range(0, 64).map(i -> 1 + i / 8).toArray();
        double[] ms =
                IntStream.range(0, 64).mapToDouble(i -> 1 + kv[i] + counts[i]).toArray();
        return new Surface(kv, counts, ms);
    }

    @Test
    void predictsLinesExceptBelowTheSmallestSize() {
        HeldOut.Error error = HeldOut.error(curve(40, x -> 5 + x), Learners.interpolation(OptionalDouble.empty()))
                .orElseThrow();
        assertThat(error.rows()).isEqualTo(40);
        assertThat(error.median()).isCloseTo(0, within(1e-9));
        assertThat(error.mean()).isCloseTo(100.0 / 6 / 40, within(1e-9));
    }

    @Test
    void reportsNoise() {
        HeldOut.Error error = HeldOut.error(
                        curve(40, x -> x % 2 == 0 ? 10 : 12), Learners.interpolation(OptionalDouble.empty()))
                .orElseThrow();
        assertThat(error.mean()).isBetween(5.0, 20.0);
    }

    @Test
    void predictsPlanes() {
        assertThat(HeldOut.error(Operator.ATTN_DECODE, plane(), Learners.interpolation(OptionalDouble.empty()))
                        .orElseThrow()
                        .median())
                .isCloseTo(0, within(1e-6));
    }

    @Test
    void returnsNothingForFewSizes() {
        assertThat(HeldOut.error(curve(9, x -> x), Learners.interpolation(OptionalDouble.empty())))
                .isEmpty();
        Profile profile = new Profile(
                "p", Map.of(Operator.ADD, Curve.zero(1), Operator.MLP_ACT, curve(20, x -> x)), plane(), plane());
        assertThat(HeldOut.errors(profile, Learners.interpolation(OptionalDouble.of(0.2))))
                .containsOnlyKeys(Operator.MLP_ACT, Operator.ATTN_PREFILL, Operator.ATTN_DECODE);
    }
}
