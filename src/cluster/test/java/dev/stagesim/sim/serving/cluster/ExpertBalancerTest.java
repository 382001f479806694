package dev.stagesim.sim.serving.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class ExpertBalancerTest {
    @Test
    void assignsTheSpareSlotToTheMostLoadedExpert() {
        ExpertBalancer.Placement placement = new ExpertBalancer(3, 4, 1, 1, 2).place(new double[] {10, 90, 20});

        assertThat(placement.replicas()).containsExactly(1, 2, 1);
        // Copies weigh 10, 45, 20, 45. The two of 45 are placed first, then 20 and 10 on the device with the lower
        // load.
        assertThat(placement.logical()).containsExactly(1, 2, 1, 0);
        assertThat(placement.physical(2)).isDeepEqualTo(new int[][] {{3, -1}, {0, 2}, {1, -1}});
        assertThat(placement.deviceLoads(new double[] {10, 90, 20}, 2)).containsExactly(65, 55);
    }

    @Test
    void keepsGroupsOnOneNode() {
        double[] weight = {1, 1, 9, 9, 8, 8, 2, 2};
        ExpertBalancer.Placement placement = new ExpertBalancer(8, 8, 4, 2, 4).place(weight);

        // Groups weigh 2, 18, 16, 4. The heaviest is paired with the lightest.
        assertThat(Arrays.stream(placement.logical(), 0, 4).sorted()).containsExactly(0, 1, 2, 3);
        assertThat(placement.deviceLoads(weight, 4)).containsExactly(10, 10, 10, 10);
    }

    @Test
    void treatsAllExpertsAsOneGroupWhenGroupsDoNotDivideOverNodes() {
        double[] weight = {4, 3, 2, 1};

        assertThat(new ExpertBalancer(4, 6, 2, 3, 3).place(weight).logical())
                .containsExactly(new ExpertBalancer(4, 6, 1, 1, 3).place(weight).logical());
    }

    @Test
    void rejectsNumbersThatDoNotDivide() {
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExpertBalancer(9, 12, 2, 1, 4))
                .withMessage("9 experts cannot be divided equally among 2 groups");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExpertBalancer(8, 12, 2, 2, 3))
                .withMessage("3 devices cannot be divided equally among 2 nodes");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExpertBalancer(8, 10, 2, 2, 4))
                .withMessage("10 physical experts cannot be divided equally among 4 devices");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExpertBalancer(8, 4, 2, 2, 4))
                .withMessage("4 physical experts are fewer than the 8 logical");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new ExpertBalancer(4, 4, 1, 1, 2).place(new double[3]))
                .withMessage("3 weights for 4 experts");
    }

    @Test
    void neverLosesAnExpertOrItsLoad() {
        SplittableRandom random = new SplittableRandom(11);
        for (int round = 0; round < 300; round++) {
            int nodes = 1 + random.nextInt(3);
            int groups = nodes * (1 + random.nextInt(3));
            int experts = groups * (1 + random.nextInt(6));
            int devices = nodes * (1 + random.nextInt(4));
            int slots = (experts + devices - 1) / devices * devices + devices * random.nextInt(3);
            double[] weight = random.doubles(experts, 0, 100).toArray();
            ExpertBalancer.Placement placement =
                    new ExpertBalancer(experts, slots, groups, nodes, devices).place(weight);

            int[] copies = new int[experts];
            for (int slot = 0; slot < slots; slot++) {
                copies[placement.logical()[slot]]++;
            }
            assertThat(copies).containsExactly(placement.replicas());
            assertThat(Arrays.stream(copies)).allMatch(count -> count > 0);
            int[][] physical = placement.physical(slots);
            for (int expert = 0; expert < experts; expert++) {
                assertThat(Arrays.stream(physical[expert])
                                .filter(slot -> slot >= 0)
                                .count())
                        .isEqualTo(copies[expert]);
            }
            assertThat(Arrays.stream(placement.deviceLoads(weight, devices)).sum())
                    .isCloseTo(Arrays.stream(weight).sum(), org.assertj.core.data.Percentage.withPercentage(1e-9));
        }
    }
}
