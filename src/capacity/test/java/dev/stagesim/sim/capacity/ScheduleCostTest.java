package dev.stagesim.sim.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;
import static org.quicktheories.generators.SourceDSL.integers;

import dev.stagesim.sim.capacity.ScheduleCost.Demand;
import dev.stagesim.sim.capacity.ScheduleCost.Node;
import dev.stagesim.sim.capacity.ScheduleCost.Scaling;
import java.util.List;
import org.junit.jupiter.api.Test;

final class ScheduleCostTest {
    private static final Node NODE = new Node(10, 20, 1000, 0.4, 1.5, 0, 0.5);

    @Test
    void equalsADayComputedByHand() {
        List<Demand> day = List.of(new Demand(600, 3, 100), new Demand(60, 25, 100));
        ScheduleCost.Total total = ScheduleCost.of(day, NODE, new Scaling(0.5, 1, 64, 1, true));
        assertThat(total.phases()).extracting(ScheduleCost.Phase::nodes).containsExactly(1, 5);
        assertThat(total.usd()).isCloseTo(10 * 20 + 5 * 20, within(1e-9));
        // power: 0.4 idle and the rest proportional to utilisation, times 1.5 for the data centre
        assertThat(total.kwh()).isCloseTo(1.5 * (10 * (0.4 + 0.6 * 0.3) + 5 * (0.4 + 0.6 * 0.5)), within(1e-9));
        assertThat(total.kg()).isCloseTo(0.5 * total.kwh(), within(1e-9));
        assertThat(total.tokens()).isCloseTo(100.0 * (3 * 36000 + 25 * 3600), within(1e-3));
        assertThat(total.usdPerMillionTokens()).isCloseTo(300 / 19.8, within(1e-9));
    }

    @Test
    void usesTheNodesOfTheBusiestPhaseWithoutScaling() {
        List<Demand> day = List.of(new Demand(600, 3, 100), new Demand(60, 25, 100));
        ScheduleCost.Total fixed = ScheduleCost.of(day, NODE, new Scaling(0.5, 1, 64, 1, false));
        assertThat(fixed.phases()).extracting(ScheduleCost.Phase::nodes).containsExactly(5, 5);
        assertThat(fixed.usd())
                .isGreaterThan(ScheduleCost.of(day, NODE, new Scaling(0.5, 1, 64, 1, true))
                        .usd());
    }

    @Test
    void saturatesWhenNodesAreTooFew() {
        ScheduleCost.Total total =
                ScheduleCost.of(List.of(new Demand(60, 100, 1)), NODE, new Scaling(1, 1, 2, 1, true));
        assertThat(total.phases().get(0).load()).isEqualTo(5);
        assertThat(total.phases().get(0).utilization()).isEqualTo(1);
        assertThat(total.nodeHoursUtilization()).isLessThanOrEqualTo(1);
        assertThat(total.tokens()).isCloseTo(20 * 3600, within(1e-6));
    }

    @Test
    void addsWholeGroupsOfNodesWhenACopySpansNodes() {
        assertThat(ScheduleCost.nodes(new Demand(1, 21, 1), NODE, new Scaling(1, 2, 64, 2, true)))
                .isEqualTo(4);
    }

    @Test
    void isMonotoneInDemandAndCapacity() {
        qt().forAll(
                        doubles().between(0.1, 500),
                        doubles().between(0.1, 500),
                        integers().between(1, 9))
                .checkAssert((a, b, tenths) -> {
                    Scaling scaling = new Scaling(tenths / 10.0, 1, 1000, 1, true);
                    int fewer = needed(Math.min(a, b), 10, scaling);
                    assertThat(needed(Math.max(a, b), 10, scaling)).isGreaterThanOrEqualTo(fewer);
                    assertThat(needed(Math.min(a, b), 15, scaling)).isLessThanOrEqualTo(fewer);
                });
    }

    private static int needed(double demand, double capacity, Scaling scaling) {
        return ScheduleCost.nodes(new Demand(60, demand, 1), new Node(capacity, 20, 1000, 0.4, 1.5, 0.1, 0.5), scaling);
    }
}
