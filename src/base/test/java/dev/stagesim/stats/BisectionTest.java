package dev.stagesim.stats;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

final class BisectionTest {
    @Test
    void findsEveryBoundaryWithoutEvaluatingTheLimits() {
        for (int boundary = 0; boundary <= 17; boundary++) {
            int first = boundary;
            List<Integer> tried = new ArrayList<>();
            assertThat(Bisection.smallest(-1, 17, number -> tried.add(number) && number >= first))
                    .isEqualTo(boundary);
            assertThat(tried).doesNotContain(-1, 17).hasSizeLessThanOrEqualTo(5);
        }
    }

    @Test
    void halvesUntilTheWidthOrTheMaximumNumberOfHalvingsIsReached() {
        assertThat(Bisection.halve(0, 16, number -> number < 5, 2, 100)).isEqualTo(new Interval(4, 6));
        assertThat(Bisection.halve(0, 16, number -> number < 5, 0, 1)).isEqualTo(new Interval(0, 8));
        assertThat(Bisection.halve(0, 2, number -> number * number < 2, 0, 100).middle())
                .isCloseTo(Math.sqrt(2), within(1e-15));
    }
}
