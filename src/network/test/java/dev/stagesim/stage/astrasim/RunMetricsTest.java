package dev.stagesim.stage.astrasim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.collective.result.SimulationResult;
import dev.stagesim.sim.network.LinkUse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class RunMetricsTest {
    @Test
    void selectsBusiestLinksInOrder() {
        SplittableRandom random = new SplittableRandom(5);
        for (int count : new int[] {0, 1, 11, 12, 13, 500}) {
            List<LinkUse> links = new ArrayList<>();
            for (int i = 0; i < count; i++) {
                links.add(new LinkUse(
                        random.nextInt(9),
                        random.nextInt(9),
                        i,
                        50,
                        random.nextInt(4),
                        random.nextInt(99),
                        random.nextInt(7),
                        0,
                        0));
            }
            List<LinkUse> expected = links.stream()
                    .filter(link -> link.messages() > 0)
                    .sorted(Comparator.comparingLong(LinkUse::busyNs)
                            .reversed()
                            .thenComparingInt(LinkUse::from)
                            .thenComparingInt(LinkUse::to))
                    .limit(12)
                    .toList();
            SimulationResult result = new SimulationResult(
                    new long[] {7},
                    new long[] {7},
                    new int[] {0},
                    List.of(Optional.empty()),
                    new SimulationResult.Traffic(links, List.of(), 0, 0),
                    Optional.empty(),
                    false,
                    7,
                    new SimulationResult.Symmetry(new int[] {0}, ""));
            assertThat(new RunMetrics(result, false).busiest()).isEqualTo(expected);
        }
    }
}
