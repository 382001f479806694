package dev.stagesim.sim.serving.cluster;

import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.function.IntUnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The texts that a router sent to each worker and expects in its cache, in the radix tree of SGLang's model gateway. A text
 * is a sequence of units: characters in the gateway, blocks of tokens in a simulation.
 *
 * <p>A node contains the workers that received a text with its prefix, each with a stamp of the last use. Stamps come from
 * one counter. As in the gateway, they are coarse: only every eighth look-up writes its stamp, and inner nodes have stamp 0.
 */
public final class PrefixTree {
    /**
     * The result of a look-up.
     *
     * @param matched number of equal units
     * @param worker a worker with these units; {@link #NONE} if no text was inserted or all were removed
     */
    public record Found(int matched, int worker) {}

    /** Value if there is no worker. */
    static final int NONE = -1;

    private static final int STAMP_EVERY = 8;

    private static final class Node {
        final Map<Long, Node> children = new LinkedHashMap<>();
        final Map<Integer, Long> stamps = new LinkedHashMap<>();

        @Nullable
        Node parent;

        long[] text;
        int last;

        Node(@Nullable Node parent, long[] text, int last) {
            this.parent = parent;
            this.text = text;
            this.last = last;
        }

        boolean has(int worker) {
            return stamps.containsKey(worker);
        }

        boolean isLeafOf(int worker) {
            return has(worker) && children.values().stream().noneMatch(child -> child.has(worker));
        }

        int common(long[] other, int from) {
            int end = Math.min(text.length, other.length - from);
            int same = Arrays.mismatch(text, 0, end, other, from, from + end);
            return same < 0 ? end : same;
        }

        /** Removes a worker; a node without workers is removed from the tree. */
        void remove(int worker) {
            stamps.remove(worker);
            if (parent != null && children.isEmpty() && stamps.isEmpty()) {
                parent.children.remove(text[0]);
            }
        }
    }

    private record Leaf(Node node, int worker, long stamp) {}

    private final Node root = new Node(null, new long[0], NONE);
    private final Map<Integer, Integer> sizes = new TreeMap<>();
    private long next;

    /** Records that a text was sent to a worker. */
    public void insert(int worker, long[] rest) {
        root.stamps.putIfAbsent(worker, 0L);
        sizes.putIfAbsent(worker, 0);
        Node node = root;
        int at = 0;
        while (at < rest.length) {
            Node child = node.children.get(rest[at]);
            if (child == null) {
                Node leaf = new Node(node, Arrays.copyOfRange(rest, at, rest.length), worker);
                leaf.stamps.put(worker, next++);
                node.children.put(rest[at], leaf);
                sizes.merge(worker, leaf.text.length, Integer::sum);
                return;
            }
            int same = child.common(rest, at);
            node = same < child.text.length ? split(child, node, same) : child;
            if (node.stamps.putIfAbsent(worker, 0L) == null) {
                sizes.merge(worker, node.text.length, Integer::sum);
            }
            at += same;
        }
        node.stamps.put(worker, next++);
    }

    private static Node split(Node child, Node parent, int at) {
        Node upper = new Node(parent, Arrays.copyOf(child.text, at), child.last);
        upper.stamps.putAll(child.stamps);
        child.text = Arrays.copyOfRange(child.text, at, child.text.length);
        child.parent = upper;
        upper.children.put(child.text[0], child);
        parent.children.put(upper.text[0], upper);
        return upper;
    }

    /** Finds the longest prefix of any worker, and a worker with this prefix. */
    public Found match(long[] input) {
        Node node = root;
        int at = 0;
        boolean isWhole = true;
        while (isWhole && at < input.length) {
            Node child = node.children.get(input[at]);
            if (child == null) {
                break;
            }
            int same = child.common(input, at);
            at += same;
            isWhole = same == child.text.length;
            node = child;
        }
        if (!node.has(node.last)) {
            node.last = node.stamps.isEmpty()
                    ? NONE
                    : node.stamps.keySet().iterator().next();
        }
        long stamp = next++;
        if (stamp % STAMP_EVERY == 0 && node.last != NONE) {
            node.stamps.put(node.last, stamp);
        }
        return new Found(at, node.last);
    }

    /** Returns the number of units of the longest prefix that a worker has. */
    public int match(int worker, long[] input) {
        Node node = root;
        int at = 0;
        boolean isWhole = true;
        while (isWhole && at < input.length) {
            Node child = node.children.get(input[at]);
            if (child == null || !child.has(worker)) {
                break;
            }
            int same = child.common(input, at);
            at += same;
            isWhole = same == child.text.length;
            node = child;
        }
        if (node.has(worker)) {
            node.stamps.put(worker, next++);
        }
        return at;
    }

    /**
     * Removes texts of workers with more units than their limit, least recently used leaves first.
     *
     * <p>Leaves with equal stamps are removed in the order of traversal; their order is undefined in the reference.
     */
    public void evict(IntUnaryOperator limit) {
        PriorityQueue<Leaf> leaves = new PriorityQueue<>(Comparator.comparingLong(Leaf::stamp));
        each(node -> node.stamps.forEach((worker, stamp) -> {
            if (node.isLeafOf(worker)) {
                leaves.add(new Leaf(node, worker, stamp));
            }
        }));
        while (!leaves.isEmpty()) {
            Leaf leaf = leaves.remove();
            int worker = leaf.worker();
            Node parent = leaf.node().parent;
            if (sizes.getOrDefault(worker, 0) > limit.applyAsInt(worker)
                    && parent != null
                    && leaf.node().isLeafOf(worker)) {
                sizes.merge(worker, -leaf.node().text.length, Integer::sum);
                leaf.node().remove(worker);
                Long stamp = parent.stamps.get(worker);
                if (stamp != null && parent.isLeafOf(worker)) {
                    leaves.add(new Leaf(parent, worker, stamp));
                }
            }
        }
    }

    /** Removes all texts of a worker. */
    public void remove(int worker) {
        Deque<Node> leaves = new ArrayDeque<>();
        each(node -> {
            if (node.isLeafOf(worker)) {
                leaves.add(node);
            }
        });
        while (!leaves.isEmpty()) {
            Node node = leaves.remove();
            node.remove(worker);
            if (node.parent != null && node.parent.isLeafOf(worker)) {
                leaves.add(node.parent);
            }
        }
        sizes.remove(worker);
    }

    private void each(Consumer<Node> use) {
        Deque<Node> open = new ArrayDeque<>(List.of(root));
        while (!open.isEmpty()) {
            Node node = open.remove();
            use.accept(node);
            open.addAll(node.children.values());
        }
    }

    /** Returns the number of units of a worker. */
    public int size(int worker) {
        return sizes.getOrDefault(worker, 0);
    }

    /** Returns the number of units of every worker, in order of workers. */
    public Map<Integer, Integer> sizes() {
        return new TreeMap<>(sizes);
    }

    /** Returns the number of units of each worker as a sum over nodes, in order of workers. */
    public Map<Integer, Integer> countedSizes() {
        Map<Integer, Integer> counted = new TreeMap<>();
        each(node -> node.stamps.keySet().forEach(worker -> counted.merge(worker, node.text.length, Integer::sum)));
        return counted;
    }
}
