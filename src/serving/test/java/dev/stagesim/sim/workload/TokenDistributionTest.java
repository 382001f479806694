package dev.stagesim.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.sim.core.RandomStream;
import java.util.Arrays;
import java.util.function.IntSupplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TokenDistributionTest {
    private static int[] draws(String text) {
        IntSupplier draws = TokenDistribution.parse(text).draws(RandomStream.of(3, "test"));
        int[] values = new int[20_000];
        Arrays.setAll(values, i -> draws.getAsInt());
        return values;
    }

    @Test
    void drawsEveryNumberOfARange() {
        int[] values = draws("1000 .. 1003");
        assertThat(Arrays.stream(values).distinct().sorted()).containsExactly(1000, 1001, 1002, 1003);
        assertThat(Arrays.stream(values).average().orElse(0)).isCloseTo(1001.5, within(0.05));
        assertThat(TokenDistribution.parse("1000..1003").isConstant()).isFalse();
        assertThat(draws("7")).containsOnly(7);
        assertThat(TokenDistribution.parse("7").isConstant()).isTrue();
    }

    @ParameterizedTest
    @CsvSource({"2000, 0.5", "300, 1", "50, 0.1"})
    void drawsWithTheMeanAndVariation(double mean, double cv) {
        int[] values = draws("lognormal(mean=" + mean + ", cv=" + cv + ")");
        double average = Arrays.stream(values).average().orElse(0);
        double variance = Arrays.stream(values)
                .mapToDouble(value -> (value - average) * (value - average))
                .average()
                .orElse(0);
        assertThat(average).isCloseTo(mean, within(0.03 * mean));
        assertThat(Math.sqrt(variance) / average).isCloseTo(cv, within(0.1 * cv));
    }

    @Test
    void limitsLogNormalDraws() {
        int[] values = draws("lognormal(mean=100,cv=1,min=50,max=150)");
        assertThat(Arrays.stream(values).min()).hasValue(50);
        assertThat(Arrays.stream(values).max()).hasValue(150);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "-5",
                "0",
                "0..5",
                "9..5",
                "1..9999999999",
                "1000-2000",
                "normal(mean=5)",
                "lognormal(cv=1)",
                "lognormal(5)",
                "lognormal(mean=x)",
                "lognormal(mean=NaN)",
                "lognormal(mean=5,sd=1)",
                "lognormal(mean=5,cv=-1)",
                "lognormal(mean=5,min=9,max=8)"
            })
    void rejectsOtherForms(String text) {
        assertThatThrownBy(() -> TokenDistribution.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected");
    }
}
