package dev.stagesim.sim.serving.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class VirtualTokenCountersTest {
    private static VirtualTokenCounters counters(double... weights) {
        return new VirtualTokenCounters(1, 2, weights);
    }

    private static int take(VirtualTokenCounters counters, int prompt) {
        int tenant = counters.next();
        int request = counters.first(tenant);
        counters.remove(tenant, request);
        counters.chargePrompt(tenant, prompt);
        return request;
    }

    @Test
    void servesTheTenantWithTheLowestCounterFirst() {
        VirtualTokenCounters counters = counters(1, 2);
        for (int request = 0; request < 4; request++) {
            counters.add(request / 2, request);
        }
        assertThat(take(counters, 100)).isEqualTo(0);
        assertThat(take(counters, 120)).isEqualTo(2);
        assertThat(take(counters, 120)).isEqualTo(3);
        assertThat(take(counters, 100)).isEqualTo(1);
        counters.chargeOutput(0, 2);
        counters.chargeOutput(1, 2);
        assertThat(counters.served(0)).isEqualTo(204);
        assertThat(counters.served(1)).isEqualTo(122);
        assertThat(counters.next()).isEqualTo(-1);
    }

    @Test
    void raisesAReturningTenantToTheLowestWaitingCounter() {
        VirtualTokenCounters counters = counters(1, 1);
        counters.add(0, 0);
        take(counters, 500);
        counters.add(0, 1);
        counters.add(1, 2);
        assertThat(counters.served(1)).isEqualTo(500);
    }

    @Test
    void boundsTheDifferenceOfServiceBetweenWaitingTenants() {
        SplittableRandom random = new SplittableRandom(5);
        VirtualTokenCounters counters = counters(1, 1);
        for (int request = 0; request < 2_000; request++) {
            counters.add(request % 3 == 0 ? 0 : 1, request);
        }
        for (int step = 0; step < 600; step++) {
            int tenant = counters.next();
            take(counters, 1 + random.nextInt(100));
            counters.chargeOutput(tenant, 1 + random.nextInt(40));
            assertThat(Math.abs(counters.served(0) - counters.served(1))).isLessThanOrEqualTo(180);
        }
    }

    @Test
    void rejectsWeightsThatAreNotPositive() {
        assertThatIllegalArgumentException().isThrownBy(() -> counters(1, 0));
    }
}
