package dev.stagesim.sim.serving.memory;

import dev.stagesim.sim.serving.request.Tokens;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A prefix cache as a radix tree of token slots, as in SGLang.
 *
 * <p>Every node contains a run of whole pages. Time is a counter: an access reads it once for all nodes on its path,
 * and a new node reads it again, so the recency of leaves has no ties.
 */
public final class RadixTree {
    /** The order of eviction: the leaf with the lowest key first, then by recency of use. */
    public enum Eviction {
        LRU, // least recently used
        LFU, // least frequently used
        FIFO, // first in, first out
        MRU, // most recently used
        FILO, // first in, last out
        PRIORITY, // lowest priority
        SLRU, // segmented LRU: leaves that were used less than a threshold come first
        TLRU // tail-optimized LRU (arXiv:2510.15152): tokens beyond the budget of the first token come first
    }

    /**
     * How leaves are evicted.
     *
     * @param threshold uses from which a leaf is protected ({@link Eviction#SLRU}), or tokens that can be computed
     *     within the limit of the first token ({@link Eviction#TLRU})
     * @param nextPrompt expected tokens of the next prompt of a conversation ({@link Eviction#TLRU})
     */
    public record EvictionRule(Eviction order, int threshold, int nextPrompt, SglangRules rules) {
        /** Returns the rule with the default thresholds. */
        public static EvictionRule of(Eviction order, SglangRules rules) {
            return new EvictionRule(order, order == Eviction.SLRU ? 2 : 0, 0, rules);
        }

        private long figure(Node node) {
            return switch (order) {
                case LRU -> node.lastAccess;
                case MRU -> -node.lastAccess;
                case LFU -> node.hits;
                case FIFO -> node.created;
                case FILO -> -node.created;
                case PRIORITY -> node.priority;
                case SLRU -> node.hits >= threshold ? 1 : 0;
                case TLRU -> node.depth - node.length >= node.history + nextPrompt - threshold ? -1 : 0;
            };
        }
    }

    /**
     * The lookup key: the first {@code length} tokens of a text.
     *
     * @param space namespace, such as an adapter; namespaces share nothing
     */
    public record Key(Tokens tokens, int length, @Nullable String space) {}

    /**
     * The result of a lookup.
     *
     * @param node the last node of the prefix, or the root if nothing was found
     * @param tokens tokens of the prefix
     */
    public record Found(Node node, int tokens) {}

    /** A run of cached tokens that follow the tokens of its parent. */
    public static final class Node {
        private final Map<Page, Node> children = new LinkedHashMap<>();
        private final @Nullable String space;
        private final Tokens text;
        private final int[] slots;
        private @Nullable Node parent;
        private int start;
        private int length;
        private int locks;
        private int hits;
        private int priority;
        long created;
        long lastAccess;
        /** Tokens from the root to the end of this node, and of the longest path through it so far. */
        int depth;

        int history;

        private Node(@Nullable Node parent, Key key, int start, int length, int[] slots) {
            this.parent = parent;
            this.space = key.space();
            this.text = key.tokens();
            this.start = start;
            this.length = length;
            this.slots = slots;
        }

        /** Returns the parent, or null for the root and for an evicted node. */
        public @Nullable Node parent() {
            return parent;
        }

        /** Returns the children in order of insertion. */
        public Collection<Node> children() {
            return Collections.unmodifiableCollection(children.values());
        }

        public @Nullable String space() {
            return space;
        }

        /** Returns the number of tokens of this node alone. */
        public int tokens() {
            return length;
        }

        /** Returns the first token; the root has none. */
        public long firstToken() {
            return text.at(start);
        }

        /** Returns the number of locks. */
        public int locks() {
            return locks;
        }

        public int hits() {
            return hits;
        }

        public int priority() {
            return priority;
        }

        private int[] slots() {
            return Arrays.copyOfRange(slots, Math.min(start, slots.length), Math.min(start + length, slots.length));
        }
    }

    /** The first page of a node, which differs between the children of a node. */
    private record Page(@Nullable String space, long[] tokens) {
        @Override
        public boolean equals(@Nullable Object other) {
            return other instanceof Page page
                    && Arrays.equals(tokens, page.tokens)
                    && (space == null ? page.space == null : space.equals(page.space));
        }

        @Override
        public int hashCode() {
            return 31 * Arrays.hashCode(tokens) + (space == null ? 0 : space.hashCode());
        }
    }

    /** A leaf with its eviction key. */
    private record Candidate(Node node, long figure, long lastAccess) implements Comparable<Candidate> {
        @Override
        public int compareTo(Candidate other) {
            int byFigure = Long.compare(figure, other.figure);
            return byFigure == 0 ? Long.compare(lastAccess, other.lastAccess) : byFigure;
        }
    }

    private static final int MIN_CANDIDATES = 1024;

    private final int pageSize;
    private final EvictionRule eviction;
    private final Node root;
    /** Leaves that may be evicted, with their keys at the last use. Only the latest entry of a leaf is valid. */
    private final PriorityQueue<Candidate> candidates = new PriorityQueue<>();

    /** Number of entries at which invalid entries are removed. */
    private int maxCandidates = MIN_CANDIDATES;

    private long clock;
    private int evictable;
    private int locked;

    /**
     * Creates an empty cache.
     *
     * @param pageSize tokens of a page; only whole pages are cached
     */
    public RadixTree(int pageSize, EvictionRule eviction) {
        if (pageSize < 1) {
            throw new IllegalArgumentException("a page has at least 1 token, got " + pageSize);
        }
        this.pageSize = pageSize;
        this.eviction = eviction;
        this.root = new Node(null, new Key(Tokens.from(0), 0, null), 0, 0, new int[0]);
    }

    public Node root() {
        return root;
    }

    /** Returns true if the least recently used leaf is evicted first. */
    public boolean evictsLeastRecent() {
        return eviction.order() == Eviction.LRU;
    }

    /** Returns the number of tokens that can be evicted. */
    public int evictable() {
        return evictable;
    }

    /** Returns the number of locked tokens. */
    public int locked() {
        return locked;
    }

    /** Finds the longest prefix. A node that matches partially is split. */
    public Found match(Key key) {
        long now = clock++;
        int length = whole(key.length());
        int at = 0;
        Node node = root;
        root.lastAccess = now;
        while (at < length) {
            Node child = node.children.get(page(key.space(), key.tokens(), at));
            if (child == null) {
                break;
            }
            child.lastAccess = now;
            note(child);
            int same = common(child, key, at, length);
            at += same;
            if (same < child.length) {
                node = split(child, same);
                break;
            }
            node = child;
        }
        return new Found(node, at);
    }

    /** Returns the slots of the prefix that ends with a node, in token order. */
    public int[] slots(Node node) {
        int count = 0;
        for (Node each = node; each != null; each = each.parent) {
            count += each.length;
        }
        int[] all = new int[count];
        for (Node each = node; each != null; each = each.parent) {
            count -= each.length;
            System.arraycopy(each.slots(), 0, all, count, each.length);
        }
        return all;
    }

    /**
     * Caches a prefix.
     *
     * @param slots slot of every token; empty if the caller has no slots
     * @param priority minimum priority of the nodes on the path
     * @param inserted leading tokens that the same request has inserted before; this does not count as a hit of their
     *     nodes
     * @return number of tokens that were cached before; their slots in {@code slots} are not used
     */
    public int insert(Key key, int[] slots, int priority, int inserted) {
        long now = clock++;
        int length = whole(key.length());
        int at = 0;
        Node node = root;
        touch(root, now, priority, false);
        while (at < length) {
            Page page = page(key.space(), key.tokens(), at);
            Node child = node.children.get(page);
            if (child == null) {
                Node leaf = new Node(node, key, at, length - at, slots);
                leaf.created = clock++;
                touch(leaf, leaf.created, priority, length > inserted);
                leaf.depth = length;
                for (Node each = leaf; each != null && each.history < length; each = each.parent) {
                    each.history = length;
                }
                // the eviction key is the priority of its insertion, even if it is negative
                leaf.priority = priority;
                node.children.put(page, leaf);
                evictable += leaf.length;
                note(leaf);
                return at;
            }
            child.lastAccess = now;
            int same = common(child, key, at, length);
            at += same;
            node = same < child.length ? split(child, same) : child;
            touch(node, node.lastAccess, priority, at > inserted);
            note(child);
        }
        return at;
    }

    private static void touch(Node node, long time, int priority, boolean isHit) {
        node.lastAccess = time;
        node.priority = Math.max(node.priority, priority);
        node.hits += isHit ? 1 : 0;
    }

    /** Locks a node and its ancestors. Returns the number of tokens that became locked. */
    public int lock(Node node) {
        int change = 0;
        for (Node each = node; each != root && each != null; each = each.parent) {
            change += each.locks++ == 0 ? each.length : 0;
        }
        evictable -= change;
        locked += change;
        return change;
    }

    /** Releases a lock. Returns the number of tokens that became evictable. */
    public int unlock(Node node) {
        int change = 0;
        for (Node each = node; each != root && each != null; each = each.parent) {
            if (each.locks == 0) {
                throw new IllegalStateException("the node has no lock");
            }
            change += --each.locks == 0 ? each.length : 0;
            note(each);
        }
        evictable += change;
        locked -= change;
        return change;
    }

    /**
     * Evicts leaves until at least {@code tokens} tokens are free or no leaf can be evicted.
     *
     * @param freed receives the slots of every evicted leaf
     * @return number of evicted tokens
     */
    public int evict(int tokens, Consumer<int[]> freed) {
        int count = 0;
        while (count < tokens && !candidates.isEmpty()) {
            Candidate first = candidates.remove();
            Node leaf = first.node();
            if (!counts(first)) {
                continue;
            }
            Node parent = leaf.parent;
            count += leaf.length;
            freed.accept(leaf.slots());
            if (parent != null) {
                parent.children.remove(page(leaf.space, leaf.text, leaf.start));
                leaf.parent = null;
                note(parent);
            }
        }
        evictable -= count;
        return count;
    }

    /** Adds a leaf that was used, or a node that has become a leaf, to the candidates. */
    private void note(Node node) {
        if (node.parent == null || !node.children.isEmpty() || node.locks > 0) {
            return;
        }
        if (candidates.size() >= maxCandidates) {
            candidates.removeIf(candidate -> !counts(candidate));
            maxCandidates = Math.max(MIN_CANDIDATES, 2 * candidates.size());
        }
        candidates.add(new Candidate(node, eviction.figure(node), node.lastAccess));
    }

    private boolean counts(Candidate candidate) {
        Node node = candidate.node();
        return node.parent != null
                && node.children.isEmpty()
                && node.locks == 0
                && candidate.lastAccess() == node.lastAccess
                && candidate.figure() == eviction.figure(node);
    }

    private int whole(int tokens) {
        return tokens / pageSize * pageSize;
    }

    private Page page(@Nullable String space, Tokens tokens, int at) {
        long[] page = new long[pageSize];
        for (int i = 0; i < pageSize; i++) {
            page[i] = tokens.at(at + i);
        }
        return new Page(space, page);
    }

    private int common(Node node, Key key, int at, int length) {
        return whole(node.text.common(node.start, key.tokens(), at, Math.min(node.length, length - at)));
    }

    /** Splits a node and returns the new upper part. */
    private Node split(Node node, int at) {
        Node parent = node.parent;
        if (parent == null) {
            throw new IllegalStateException("the root cannot be split");
        }
        Page page = page(node.space, node.text, node.start);
        Node upper = new Node(parent, new Key(node.text, node.start + at, node.space), node.start, at, node.slots);
        upper.locks = node.locks;
        upper.hits = node.hits;
        upper.priority = node.priority;
        upper.lastAccess = clock++;
        upper.created = eviction.rules().has(SglangRule.SPLITS_KEEP_CREATION_TIME) ? node.created : upper.lastAccess;
        upper.depth = node.depth - node.length + at;
        upper.history = node.history;
        node.start += at;
        node.length -= at;
        node.parent = upper;
        upper.children.put(page(node.space, node.text, node.start), node);
        // replaced in place: the order of children is the order of their first insertion
        parent.children.put(page, upper);
        note(node);
        return upper;
    }
}
