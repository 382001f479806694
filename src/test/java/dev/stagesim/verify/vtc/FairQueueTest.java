package dev.stagesim.verify.vtc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

final class FairQueueTest {
    private static final FairQueue.Prices PRICES = new FairQueue.Prices(1, 2);

    private static FairQueue.Request request(int id, String tenant, int input, int maxOutput) {
        return new FairQueue.Request(id, tenant, input, maxOutput);
    }

    private static List<Integer> ids(List<FairQueue.Request> requests) {
        return requests.stream().map(FairQueue.Request::id).toList();
    }

    @Test
    void servesTheTenantWithTheLeastServiceFirst() {
        FairQueue queue = new FairQueue(new FairQueue.Limits(10_000, 10_000, 10), PRICES, Map.of("b", 2.0));
        queue.append(request(0, "a", 100, 10));
        queue.append(request(1, "a", 100, 10));
        queue.append(request(2, "b", 120, 10));
        queue.append(request(3, "b", 120, 10));

        assertThat(ids(queue.admit())).containsExactly(0, 2, 3, 1);
        queue.decode();
        assertThat(queue.served()).containsExactly(Map.entry("a", 204.0), Map.entry("b", 122.0));
    }

    @Test
    void liftsATenantThatComesBackToTheLeastOfThoseThatWait() {
        FairQueue queue = new FairQueue(new FairQueue.Limits(10_000, 10_000, 1), PRICES, Map.of());
        queue.append(request(0, "a", 500, 10));
        queue.admit();
        queue.append(request(1, "a", 50, 10));
        queue.append(request(2, "b", 50, 10));

        assertThat(queue.served()).containsEntry("b", 500.0);
    }

    @Test
    void admitsNothingBehindAHeadThatDoesNotFit() {
        FairQueue queue = new FairQueue(new FairQueue.Limits(10_000, 100, 10), PRICES, Map.of());
        queue.append(request(0, "a", 60, 10));
        queue.append(request(1, "b", 60, 10));
        queue.append(request(2, "b", 1, 10));

        assertThat(ids(queue.admit())).containsExactly(0);
        assertThat(ids(queue.admit())).containsExactly(1, 2);
    }

    @Test
    void keepsTheFullestBatchBelowTheCache() {
        // Held 11 and rest 9: 20 tokens at the most, which must stay below the limit.
        FairQueue full = new FairQueue(new FairQueue.Limits(20, 100, 10), PRICES, Map.of());
        full.append(request(0, "a", 10, 10));
        assertThat(full.admit()).isEmpty();

        FairQueue roomy = new FairQueue(new FairQueue.Limits(21, 100, 10), PRICES, Map.of());
        roomy.append(request(0, "a", 10, 10));
        assertThat(ids(roomy.admit())).containsExactly(0);
    }

    @Test
    void boundsTheDifferenceOfServiceBetweenTenantsThatWait() {
        SplittableRandom random = new SplittableRandom(5);
        int memory = 600;
        int longest = 100;
        FairQueue queue = new FairQueue(new FairQueue.Limits(memory, 1_000, 12), PRICES, Map.of());
        Map<Integer, Integer> stops = new HashMap<>();
        for (int id = 0; id < 2_000; id++) {
            queue.append(request(id, id % 3 == 0 ? "a" : "b", 1 + random.nextInt(longest), 40));
            stops.put(id, 1 + random.nextInt(40));
        }
        for (int step = 0; step < 500; step++) {
            queue.admit();
            for (FairQueue.Request request : queue.decode()) {
                if (queue.produced(request.id()) >= stops.getOrDefault(request.id(), 1)) {
                    queue.end(request.id());
                }
            }
            double difference =
                    queue.served().getOrDefault("a", 0.0) - queue.served().getOrDefault("b", 0.0);
            assertThat(Math.abs(difference)).isLessThanOrEqualTo(2.0 * Math.max(longest, 2 * memory));
        }
    }

    @Test
    void refusesWhatDoesNotRunAndWeightsThatAreNotPositive() {
        FairQueue queue = new FairQueue(new FairQueue.Limits(100, 100, 1), PRICES, Map.of());
        assertThatIllegalArgumentException().isThrownBy(() -> queue.end(7)).withMessage("request 7 does not run");
        assertThatIllegalArgumentException()
                .isThrownBy(() -> new FairQueue(new FairQueue.Limits(100, 100, 1), PRICES, Map.of("a", 0.0)))
                .withMessageContaining("weight of tenant a");
    }
}
