package dev.stagesim.sim.serving.policy;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.policy.QueueOrder.Priorities;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class QueueOrderTest {
    private static final int OWN = 1_000_000;

    private static RadixTree.Key key(long... runs) {
        Tokens.Builder builder = new Tokens.Builder();
        for (int i = 0; i < runs.length; i += 2) {
            builder.run(runs[i], (int) runs[i + 1]);
        }
        int length = builder.length();
        return new RadixTree.Key(builder.then(0), length, null);
    }

    private static QueueOrder.Waiting prompt(long... runs) {
        return new QueueOrder.Waiting(key(runs), key(runs).length(), 0, 16, 0, null, "", 0);
    }

    private static QueueOrder.Waiting request(int priority, int maxNewTokens, long entered, @Nullable String key) {
        return new QueueOrder.Waiting(key(entered * 1000, 5), 5, priority, maxNewTokens, entered, key, "", 0);
    }

    private static RadixTree cache(RadixTree.Key... keys) {
        RadixTree tree = new RadixTree(1, RadixTree.EvictionRule.of(RadixTree.Eviction.LRU, SglangRules.NEWEST));
        for (RadixTree.Key key : keys) {
            tree.insert(key, new int[0], 0, 0);
        }
        return tree;
    }

    private static int[] order(SchedulePolicy policy, Priorities priorities, List<QueueOrder.Waiting> queue) {
        return new QueueOrder(policy, priorities, cache())
                .order(queue, List.of(), 0)
                .order();
    }

    @Test
    void ordersByLongestPrefix() {
        QueueOrder.Order got = new QueueOrder(SchedulePolicy.LPM, Priorities.IGNORED, cache(key(0, 100)))
                .order(List.of(prompt(0, 40, OWN, 5), prompt(0, 100), prompt(0, 60, 2 * OWN, 5)), List.of(), 0);

        assertThat(got.order()).containsExactly(1, 2, 0);
        // One token of a fully cached prompt is computed.
        assertThat(got.matched()).containsExactly(40, 99, 60);
    }

    @Test
    void drawsANewOrderEveryStepAndRepeatsItInEveryRun() {
        List<QueueOrder.Waiting> queue = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            queue.add(request(0, 16, i, null));
        }
        QueueOrder drawn = new QueueOrder(SchedulePolicy.RANDOM, Priorities.IGNORED, null);
        int[] first = drawn.order(queue, List.of(), 0).order();
        int[] second = drawn.order(queue, List.of(), 0).order();

        assertThat(first).isNotEqualTo(second).doesNotHaveDuplicates().hasSize(20);
        assertThat(order(SchedulePolicy.RANDOM, Priorities.IGNORED, queue)).isEqualTo(first);
    }

    @Test
    void defersRequestsWithANewPrefixOfAnEarlierRequest() {
        List<QueueOrder.Waiting> queue = List.of(
                prompt(5000, 32, OWN, 5),
                prompt(5000, 32, 2 * OWN, 5),
                prompt(7000, 31, 3 * OWN, 5),
                prompt(7000, 31, 4 * OWN, 5));

        assertThat(order(SchedulePolicy.LPM, Priorities.IGNORED, queue)).containsExactly(0, 2, 3, 1);
    }

    @Test
    void defersNoRequestWithALongCachedPrefix() {
        List<QueueOrder.Waiting> queue =
                List.of(prompt(0, 33, 9000, 40, OWN, 5), prompt(0, 33, 9000, 40, 2 * OWN, 5), prompt(8000, 5));
        QueueOrder lessCached = new QueueOrder(SchedulePolicy.LPM, Priorities.IGNORED, cache(key(0, 32)));
        QueueOrder moreCached = new QueueOrder(SchedulePolicy.LPM, Priorities.IGNORED, cache(key(0, 33)));

        assertThat(lessCached.order(queue, List.of(), 0).order()).containsExactly(0, 2, 1);
        assertThat(moreCached.order(queue, List.of(), 0).order()).containsExactly(0, 1, 2);
    }

    @Test
    void matchesNoQueueOfMoreThan128() {
        List<QueueOrder.Waiting> queue = new ArrayList<>(Collections.nCopies(128, prompt(OWN, 3)));
        queue.add(0, prompt(2 * OWN, 3));
        QueueOrder lpm = new QueueOrder(SchedulePolicy.LPM, Priorities.HIGH_FIRST, cache(key(OWN, 3)));

        assertThat(lpm.order(queue, List.of(), 0).policy()).isEqualTo(SchedulePolicy.FCFS);
        assertThat(lpm.order(queue, List.of(), 0).order()).startsWith(0, 1).isSorted();
        assertThat(lpm.order(queue.subList(0, 128), List.of(), 0).policy()).isEqualTo(SchedulePolicy.LPM);
        assertThat(new QueueOrder(SchedulePolicy.DFS_WEIGHT, Priorities.IGNORED, cache())
                        .order(queue, List.of(), 0)
                        .policy())
                .isEqualTo(SchedulePolicy.DFS_WEIGHT);
    }

    @Test
    void fallsBackToArrivalOrderWithoutACache() {
        List<QueueOrder.Waiting> queue = List.of(request(1, 1, 1, null), request(5, 1, 2, null));
        QueueOrder.Order got =
                new QueueOrder(SchedulePolicy.DFS_WEIGHT, Priorities.HIGH_FIRST, null).order(queue, List.of(), 0);

        assertThat(got.policy()).isEqualTo(SchedulePolicy.FCFS);
        assertThat(got.order()).containsExactly(1, 0);
        assertThat(got.matched()).isEmpty();
    }

    @Test
    void followsTheHeaviestBranchFirst() {
        RadixTree cache = cache(key(0, 50, 100, 50), key(0, 50, 200, 50), key(900, 50));
        List<QueueOrder.Waiting> queue = List.of(
                prompt(900, 50, OWN, 3),
                prompt(0, 50, 2 * OWN, 3),
                prompt(0, 50, 100, 50, 3 * OWN, 3),
                prompt(0, 50, 200, 50, 4 * OWN, 3),
                prompt(0, 50, 200, 50, 5 * OWN, 3),
                prompt(6 * OWN, 3));

        assertThat(new QueueOrder(SchedulePolicy.DFS_WEIGHT, Priorities.IGNORED, cache)
                        .order(queue, List.of(), 0)
                        .order())
                .containsExactly(3, 4, 2, 1, 0, 5);
    }

    @Test
    void ordersByPriorityThenEntryOrLength() {
        List<QueueOrder.Waiting> queue =
                List.of(request(1, 10, 3, null), request(2, 20, 2, null), request(1, 30, 1, null));

        assertThat(order(SchedulePolicy.FCFS, Priorities.IGNORED, queue)).containsExactly(0, 1, 2);
        assertThat(order(SchedulePolicy.FCFS, Priorities.LOW_FIRST, queue)).containsExactly(2, 0, 1);
        assertThat(order(SchedulePolicy.FCFS, Priorities.HIGH_FIRST, queue)).containsExactly(1, 2, 0);
        assertThat(order(SchedulePolicy.LOF, Priorities.IGNORED, queue)).containsExactly(2, 1, 0);
        assertThat(order(SchedulePolicy.LOF, Priorities.HIGH_FIRST, queue)).containsExactly(1, 2, 0);
    }

    @Test
    void prefersRunningKeys() {
        List<QueueOrder.Waiting> queue = List.of(
                request(0, 1, 1, "z"),
                request(0, 1, 2, null),
                request(0, 1, 3, "b"),
                request(0, 1, 4, "a"),
                request(0, 1, 5, "c"));
        QueueOrder order = new QueueOrder(SchedulePolicy.ROUTING_KEY, Priorities.IGNORED, cache());

        assertThat(order.order(queue, Arrays.asList("c", "b", null, "c", "a"), 0)
                        .order())
                .containsExactly(4, 3, 2, 1, 0);
        assertThat(order.order(queue, Arrays.asList("", null), 0).order()).containsExactly(0, 1, 2, 3, 4);
    }
}
