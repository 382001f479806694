package dev.stagesim.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;

import org.junit.jupiter.api.Test;

class AxisTest {
    @Test
    void startsAtZeroAndEndsRound() {
        Axis axis = Axis.fromZero("x", 3, 23.06);
        assertThat(axis.low()).isZero();
        assertThat(axis.high()).isEqualTo(25);
        assertThat(axis.ticks()).extracting(Ticks.Tick::text).containsExactly("0", "5", "10", "15", "20", "25");
    }

    @Test
    void includesNegativeValues() {
        Axis axis = Axis.fromZero("x", -88, -3);
        assertThat(axis.low()).isEqualTo(-100);
        assertThat(axis.high()).isZero();
    }

    @Test
    void usesALogarithmicScaleForWideRanges() {
        Axis axis = Axis.fit("x", 0.3, 700);
        assertThat(axis.log()).isTrue();
        assertThat(axis.low()).isEqualTo(0.2, within(1e-12));
        assertThat(axis.high()).isEqualTo(1000);
        assertThat(axis.ticks())
                .extracting(Ticks.Tick::text)
                .startsWith("1", "10", "100")
                .hasSize(4);
        assertThat(Axis.fit("x", 1, 40).log()).isFalse();
    }

    @Test
    void limitsTheNumberOfTicks() {
        assertThat(new Axis("x", 200, 50_000, true).ticks())
                .extracting(Ticks.Tick::text)
                .containsExactly("500", "1,000", "5,000", "10,000", "50,000");
        assertThat(new Axis("x", 1, 100, true).ticks())
                .extracting(Ticks.Tick::text)
                .contains("1", "10", "100");
    }

    @Test
    void endsAtTheEndOfTheRun() {
        Axis axis = Axis.upTo("s", 63.3);
        assertThat(axis.high()).isEqualTo(63.3);
        assertThat(axis.ticks()).extracting(Ticks.Tick::text).containsExactly("0", "20", "40", "60");
        assertThat(Axis.upTo("s", 0).high()).isEqualTo(1);
    }

    @Test
    void usesWholeTicksForCounts() {
        assertThat(Axis.counts("n", 1).ticks())
                .extracting(Ticks.Tick::text)
                .containsExactly("0", "1", "2", "3", "4", "5");
    }

    @Test
    void createsARangeForEqualValues() {
        assertThat(Axis.fromZero("x").high()).isEqualTo(1);
        assertThat(Axis.fromZero("x", 0, 0).high()).isEqualTo(1);
        assertThatThrownBy(() -> new Axis("x", 1, 1, false)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> new Axis("x", 0, 1, true)).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void containsEveryValueWithFewTicks() {
        qt().forAll(doubles().between(-1e6, 1e6), doubles().between(1e-6, 1e9)).checkAssert((a, b) -> {
            for (Axis axis : new Axis[] {Axis.fit("x", Math.abs(a) + 1e-9, b), Axis.fromZero("x", a, b)}) {
                assertThat(axis.ticks().size()).isBetween(1, 20);
                assertThat(axis.at(b)).isBetween(0.0, 1.0);
                assertThat(b).isLessThanOrEqualTo(axis.high() + 1e-6 * (axis.high() - axis.low()));
            }
        });
    }
}
