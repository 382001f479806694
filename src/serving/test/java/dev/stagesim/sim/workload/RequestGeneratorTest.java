package dev.stagesim.sim.workload;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.sim.core.Mt19937;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.workload.RequestGenerator.End;
import dev.stagesim.sim.workload.RequestGenerator.Generated;
import org.junit.jupiter.api.Test;

class RequestGeneratorTest {
    private static final LengthSource LENGTHS = Lengths.fixed(10, 5);

    @Test
    void accumulatesNoRoundingErrors() {
        int count = 300_000;
        RequestTable table = RequestGenerator.generate(Gaps.even(0, 1.0 / 3), LENGTHS, atRequests(count + 1))
                .requests();
        assertThat(table.arrivalNs(count)).isEqualTo(100_000_000_000_000L);
        RequestTable tenths = RequestGenerator.generate(Gaps.even(0, 0.1), LENGTHS, atRequests(count + 1))
                .requests();
        assertThat(tenths.arrivalNs(count)).isEqualTo(30_000_000_000_000L);
    }

    @Test
    void generatesMonotonicArrivalsAtAnyRate() {
        qt().forAll(
                        integers().between(0, 10_000),
                        doubles().between(1e-3, 1e9),
                        doubles().between(0.2, 4))
                .check((seed, qps, cv) -> {
                    InterArrivalSource gaps = Gaps.gamma(RandomStream.of(seed, "gaps"), qps, cv);
                    RequestTable table = RequestGenerator.generate(gaps, LENGTHS, atRequests(50))
                            .requests();
                    for (int i = 1; i < table.size(); i++) {
                        if (table.arrivalNs(i) < table.arrivalNs(i - 1)) {
                            return false;
                        }
                    }
                    return table.size() == 50 && table.arrivalNs(0) >= 0;
                });
    }

    @Test
    void stopsAtTheNumberOrTheTime() {
        assertThat(generate(new StopRule(3, 10)).requests().size()).isEqualTo(3);
        Generated timed = generate(new StopRule(100, 10));
        assertThat(timed.requests().size()).isEqualTo(10);
        assertThat(timed.requests().arrivalNs(9)).isEqualTo(9_000_000_000L);
        assertThat(timed.end()).isEqualTo(End.RULE);
    }

    private static Generated generate(StopRule rule) {
        return RequestGenerator.generate(Gaps.even(0, 1), LENGTHS, rule);
    }

    @Test
    void reportsWhichSourceIsExhausted() {
        Generated gaps =
                RequestGenerator.generate(Gaps.between(new long[] {1, 2}, 1), LENGTHS, atRequests(Integer.MAX_VALUE));
        assertThat(gaps.end()).isEqualTo(End.GAPS);
        assertThat(gaps.requests().size()).isEqualTo(2);
        LengthSource one = Lengths.rows(new int[] {1}, new int[] {1}, new int[] {0}, false);
        assertThat(RequestGenerator.generate(Gaps.atOnce(), one, atRequests(5)).end())
                .isEqualTo(End.LENGTHS);
        assertThat(RequestGenerator.generate(Gaps.even(0, 1e9), LENGTHS, atRequests(50))
                        .end())
                .isEqualTo(End.CLOCK);
    }

    @Test
    void dropsTheRequestBeyondTheLimitAfterDrawingInReferenceMode() {
        Mt19937 python = Mt19937.pythonSeed(3);
        Generated made = RequestGenerator.generateVidur(Gaps.vidurPoisson(python, 2.0), LENGTHS, new StopRule(1, 30));
        int size = made.requests().size();
        assertThat(size).isGreaterThan(30);
        assertThat(made.requests().arrivalSeconds(size - 1)).isLessThan(30);
        Mt19937 fresh = Mt19937.pythonSeed(3);
        for (int i = 0; i <= size; i++) {
            fresh.nextDouble();
        }
        assertThat(python.nextDouble()).isEqualTo(fresh.nextDouble());
    }

    /** The state of Python's generator after request generation, from which the random global scheduler continues. */
    @Test
    void leavesTheGeneratorInTheStateOfVidur() {
        Mt19937 python = Mt19937.pythonSeed(42);
        LengthSource uniform = VidurLengths.uniform(python, 128, 4096, 8.0);
        RequestGenerator.generateVidur(Gaps.vidurPoisson(python, 2.5), uniform, atRequests(200));
        long[] next = new long[8];
        for (int i = 0; i < next.length; i++) {
            next[i] = python.between(1, 4);
        }
        assertThat(next).containsExactly(4, 2, 4, 2, 1, 3, 3, 1);
    }

    @Test
    void rejectsEndlessWorkloads() {
        assertThatThrownBy(() -> RequestGenerator.generate(Gaps.atOnce(), LENGTHS, new StopRule(Integer.MAX_VALUE, 1)))
                .hasMessageContaining("no gaps");
        assertThatThrownBy(() -> new StopRule(1, 0)).isInstanceOf(IllegalArgumentException.class);
    }

    private static StopRule atRequests(int requests) {
        return new StopRule(requests, Double.POSITIVE_INFINITY);
    }
}
