package dev.stagesim.sim.serving.policy;

import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToLongFunction;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/** The order of the waiting requests under the schedule policies of SGLang. */
public final class QueueOrder {
    /** Maximum number of waiting requests that are matched with the cache. */
    static final int MAX_MATCHED = 128;

    /** Maximum cached tokens of a request that is compared with earlier requests of the queue. */
    private static final int SHORT_MATCH = 32;

    /** Minimum common prefix with an earlier request for which a request waits until that prefix is cached. */
    private static final int SHARED_IN_QUEUE = 32;

    /** Whether {@link SchedulePolicy#FCFS} and {@link SchedulePolicy#LOF} use priorities, and which value runs first. */
    public enum Priorities {
        IGNORED,
        LOW_FIRST,
        HIGH_FIRST
    }

    /**
     * A waiting request.
     *
     * @param prompt its tokens so far
     * @param inputs tokens of its prompt alone
     * @param entered time of entry into the queue
     * @param routingKey key from a router
     * @param name name, which decides between equal response ratios
     * @param processedBefore tokens that the engine had computed when it entered
     */
    public record Waiting(
            RadixTree.Key prompt,
            int inputs,
            int priority,
            int maxNewTokens,
            long entered,
            @Nullable String routingKey,
            String name,
            long processedBefore) {}

    /**
     * The order of the queue.
     *
     * @param policy applied policy
     * @param order positions of the requests in the given queue, the first one to run first
     * @param matched cached tokens of each given request; empty if the cache was not read
     */
    public record Order(SchedulePolicy policy, int[] order, int[] matched) {}

    private final SchedulePolicy policy;
    private final Priorities priorities;
    private final @Nullable RadixTree cache;
    private long turn;

    /**
     * Creates an order.
     *
     * @param cache prefix cache, or null if it is off; policies that read the cache are then first come, first served
     */
    public QueueOrder(SchedulePolicy policy, Priorities priorities, @Nullable RadixTree cache) {
        this.policy = policy.readsCache() && cache == null ? SchedulePolicy.FCFS : policy;
        this.priorities = priorities;
        this.cache = cache;
    }

    /**
     * Sorts a queue.
     *
     * @param runningKeys routing keys of the running requests; null entries for requests without a key
     * @param processed tokens that the engine has computed
     */
    public Order order(List<Waiting> queue, List<@Nullable String> runningKeys, long processed) {
        if (cache != null && policy.readsCache() && !(policy.isShort() && queue.size() > MAX_MATCHED)) {
            return byCache(queue, cache, processed);
        }
        return new Order(
                policy.readsCache() ? SchedulePolicy.FCFS : policy, sorted(queue, comparator(runningKeys)), new int[0]);
    }

    /** Returns a stable order by {@code order}, or the given order if it is null. */
    private static int[] sorted(List<Waiting> queue, @Nullable Comparator<Waiting> order) {
        IntStream places = IntStream.range(0, queue.size());
        return order == null
                ? places.toArray()
                : places.boxed()
                        .sorted((a, b) -> order.compare(queue.get(a), queue.get(b)))
                        .mapToInt(Integer::intValue)
                        .toArray();
    }

    private @Nullable Comparator<Waiting> comparator(List<@Nullable String> runningKeys) {
        int sign =
                switch (priorities) {
                    case IGNORED -> 0;
                    case LOW_FIRST -> 1;
                    case HIGH_FIRST -> -1;
                };
        Comparator<Waiting> urgency = Comparator.comparingLong(waiting -> (long) sign * waiting.priority());
        return switch (policy) {
            case FCFS -> sign == 0 ? null : urgency.thenComparingLong(Waiting::entered);
            case LOF ->
                urgency.thenComparing(
                        Comparator.comparingInt(Waiting::maxNewTokens).reversed());
            case ROUTING_KEY -> byKey(runningKeys);
            case RANDOM -> Comparator.comparingLong(draw(turn++ << Integer.SIZE));
            // a queue that is too long for matching stays unchanged
            case LPM, DFS_WEIGHT, HRRN, SHORTEST_PREFILL_FIRST -> null;
        };
    }

    /** Returns a pseudo-random number for each request that is independent of its position. */
    private static ToLongFunction<Waiting> draw(long seed) {
        return waiting -> {
            long mixed = (seed + waiting.entered() + 1) * 0x9E3779B97F4A7C15L;
            mixed = (mixed ^ (mixed >>> 30)) * 0xBF58476D1CE4E5B9L;
            return mixed ^ (mixed >>> 27);
        };
    }

    private static @Nullable Comparator<Waiting> byKey(List<@Nullable String> runningKeys) {
        Map<String, Integer> counts = new LinkedHashMap<>();
        for (String key : runningKeys) {
            if (key != null && !key.isEmpty()) {
                counts.merge(key, 1, Integer::sum);
            }
        }
        return counts.isEmpty()
                ? null
                : Comparator.<Waiting>comparingInt(waiting -> -counts.getOrDefault(key(waiting), 0))
                        .thenComparing(QueueOrder::key);
    }

    private static String key(Waiting waiting) {
        return waiting.routingKey() == null ? "" : waiting.routingKey();
    }

    private Order byCache(List<Waiting> queue, RadixTree tree, long processed) {
        RadixTree.Node[] nodes = new RadixTree.Node[queue.size()];
        int[] matched = new int[queue.size()];
        boolean[] isDeferred = new boolean[queue.size()];
        RadixTree scratch = new RadixTree(1, RadixTree.EvictionRule.of(RadixTree.Eviction.LRU, SglangRules.NEWEST));
        for (int i = 0; i < nodes.length; i++) {
            RadixTree.Key prompt = queue.get(i).prompt();
            RadixTree.Found found = tree.match(prompt);
            nodes[i] = found.node();
            // one token is always computed, for the first output token
            matched[i] = Math.min(found.tokens(), Math.max(prompt.length() - 1, 0));
            if (found.tokens() <= SHORT_MATCH) {
                isDeferred[i] = scratch.match(prompt).tokens() >= SHARED_IN_QUEUE;
                if (!isDeferred[i]) {
                    scratch.insert(prompt, new int[0], 0, 0);
                }
            }
        }
        int[] order = policy == SchedulePolicy.DFS_WEIGHT
                ? byBranch(tree, nodes)
                : IntStream.range(0, nodes.length)
                        .boxed()
                        .sorted(Comparator.<Integer, Boolean>comparing(i -> isDeferred[i])
                                .thenComparing(byWork(queue, matched, isDeferred, processed)))
                        .mapToInt(Integer::intValue)
                        .toArray();
        return new Order(policy, order, matched);
    }

    private Comparator<Integer> byWork(List<Waiting> queue, int[] matched, boolean[] isDeferred, long processed) {
        return switch (policy) {
            case HRRN ->
                Comparator.<Integer>comparingDouble(
                                i -> isDeferred[i] ? 0 : -responseRatio(queue.get(i), matched[i], processed))
                        .thenComparing(i -> queue.get(i).name());
            case SHORTEST_PREFILL_FIRST ->
                Comparator.<Integer>comparingInt(i -> work(queue.get(i), matched[i]))
                        .thenComparingLong(i -> queue.get(i).entered());
            default -> Comparator.comparingInt(i -> isDeferred[i] ? 0 : -matched[i]);
        };
    }

    /** Returns the tokens of a request to compute. */
    static int work(Waiting waiting, int matched) {
        return Math.max(1, waiting.prompt().length() - matched);
    }

    private static double responseRatio(Waiting waiting, int matched, long processed) {
        int work = waiting.inputs() - matched;
        return work <= 0
                ? Double.POSITIVE_INFINITY
                : (double) Math.max(0, processed - waiting.processedBefore()) / work;
    }

    /**
     * Returns a depth-first order, the heaviest branch first; the requests of a node follow the requests of its
     * descendants.
     */
    private static int[] byBranch(RadixTree tree, RadixTree.Node[] nodes) {
        Map<RadixTree.Node, Integer> weights = new LinkedHashMap<>();
        Map<RadixTree.Node, List<Integer>> requests = new LinkedHashMap<>();
        for (int i = 0; i < nodes.length; i++) {
            requests.computeIfAbsent(nodes[i], node -> new ArrayList<>()).add(i);
            for (RadixTree.Node node = nodes[i]; node != null; node = node.parent()) {
                weights.merge(node, 1, Integer::sum);
            }
        }
        // the traversal visits nodes before their branches and branches in reverse, so the result is reversed
        List<Integer> reversed = new ArrayList<>(nodes.length);
        Deque<RadixTree.Node> open = new ArrayDeque<>(List.of(tree.root()));
        while (!open.isEmpty()) {
            RadixTree.Node node = open.pop();
            List<Integer> own = requests.getOrDefault(node, List.of());
            for (int i = own.size() - 1; i >= 0; i--) {
                reversed.add(own.get(i));
            }
            node.children().stream()
                    .filter(weights::containsKey)
                    .sorted(Comparator.comparingInt(child -> -weights.getOrDefault(child, 0)))
                    .forEach(open::push);
        }
        int count = reversed.size();
        return IntStream.range(0, count).map(i -> reversed.get(count - 1 - i)).toArray();
    }
}
