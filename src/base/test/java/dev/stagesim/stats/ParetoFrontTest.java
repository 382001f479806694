package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ParetoFrontTest {
    private static final ParetoFront<double[]> EQUAL = ParetoFront.ofVectors(3);

    @Test
    void returnsTheFirstCandidateThatIsNoWorseAndOnceBetter() {
        double[] worse = {3, 3, 0};
        double[] first = {2, 2, 0};
        List<double[]> others = List.of(worse, new double[] {1, 5, 0}, first, new double[] {2, 1, 0});
        assertThat(EQUAL.dominator(worse, others)).containsSame(first);
        assertThat(EQUAL.dominator(new double[] {0, 9, 0}, others)).isEmpty();
    }

    @Test
    void keepsEqualCandidatesUnlessOneIsPreferred() {
        double[] first = {1, 2, 3};
        assertThat(EQUAL.dominates(first, first.clone())).isFalse();
        ParetoFront<double[]> preferred = new ParetoFront<>(EQUAL.objectives(), (a, b) -> a == first);
        assertThat(preferred.dominates(first, first.clone())).isTrue();
        assertThat(preferred.dominates(first.clone(), first)).isFalse();
    }

    @Test
    void keepsTheMembersThatNoCandidateDominatesInAnyOrderOfAddition() {
        qt().forAll(lists().of(integers().between(0, 999)).ofSizeBetween(0, 40)).checkAssert(codes -> {
            List<double[]> points = codes.stream()
                    .map(code -> new double[] {code % 10, code / 10 % 10, code / 100})
                    .toList();
            List<double[]> front = new ArrayList<>();
            points.forEach(point -> EQUAL.add(front, point));
            assertThat(front)
                    .containsExactlyElementsOf(points.stream()
                            .filter(point -> points.stream().noneMatch(other -> isBetter(other, point)))
                            .toList());
        });
    }

    private static boolean isBetter(double[] first, double[] second) {
        for (int i = 0; i < first.length; i++) {
            if (first[i] > second[i]) {
                return false;
            }
        }
        return !Arrays.equals(first, second);
    }
}
