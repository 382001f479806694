package dev.stagesim.sim.serving.cluster;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

final class RotatingRouterTest {
    private final int[] waiting = new int[3];

    private final RotatingRouter.Load load = new RotatingRouter.Load() {
        @Override
        public int waiting(int instance) {
            return waiting[instance];
        }

        @Override
        public int running(int instance) {
            return 0;
        }
    };

    @Test
    void breaksTiesFromBehindTheLastChoice() {
        RotatingRouter router = new RotatingRouter(new int[] {8, 8, 8}, true);
        assertThat(router.choose(load)).isZero();
        assertThat(router.choose(load)).isEqualTo(1);
        waiting[2] = 1;
        assertThat(router.choose(load)).isZero();
    }

    @Test
    void dividesByTheCapacity() {
        RotatingRouter router = new RotatingRouter(new int[] {1, 4, 2}, true);
        waiting[0] = 1;
        waiting[1] = 2;
        waiting[2] = 2;
        assertThat(router.choose(load)).isEqualTo(1);
    }
}
