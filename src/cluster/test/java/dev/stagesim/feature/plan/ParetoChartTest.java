package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.plan.ParetoChart.ParetoPoint;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ParetoChartTest {
    private static ParetoPoint point(double user, double device) {
        return new ParetoPoint(user, device, true, "");
    }

    @Test
    void joinsThePointsThatNoOtherPointExceeds() {
        ParetoPoint fast = point(90, 100);
        ParetoPoint middle = point(60, 400);
        ParetoPoint full = point(20, 900);
        assertThat(ParetoChart.front(
                        List.of(fast, point(90, 80), point(70, 100), middle, point(50, 300), full, point(10, 900))))
                .containsExactly(fast, middle, full);
    }
}
