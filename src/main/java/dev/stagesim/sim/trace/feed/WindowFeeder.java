package dev.stagesim.sim.trace.feed;

import dev.stagesim.model.trace.EtNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * The first feeder (v1): data dependencies only, and a window of nodes read ahead.
 *
 * <p>Keeps the reference's behaviour on odd traces. A node never becomes ready when a parent is missing, is itself, is
 * listed twice, is part of a cycle, or was done before the node was read; then {@link #isOpen} holds and {@link #take}
 * finds nothing. A node that was taken and is not yet done when the next window is read is handed out again.
 *
 * <p>Memory grows with the nodes that are read and not done. A forward reference costs constant time here, where the
 * reference looks through all of them for every node read.
 */
public final class WindowFeeder implements Feeder {
    /** Nodes that the reference reads ahead. */
    public static final int REFERENCE_WINDOW = 4096 * 256;

    private final NodeSource source;
    private final int window;
    private final Map<Long, Entry> graph = new LinkedHashMap<>();
    private final Map<Long, List<Entry>> waiting = new LinkedHashMap<>();
    private final PriorityQueue<Entry> ready =
            new PriorityQueue<>((left, right) -> Long.compareUnsigned(left.node.id(), right.node.id()));
    private final TreeSet<Long> readyIds = new TreeSet<>();
    private int unresolved;
    private boolean isRead;

    /** A node that was read, with those that name it as a parent. */
    private static final class Entry {
        final EtNode node;
        final List<Entry> children = new ArrayList<>(2);
        long[] parents;
        int parentCount;
        int missing;

        Entry(EtNode node) {
            this.node = node;
            parents = node.dataDeps().clone();
            parentCount = parents.length;
        }

        /** Takes a child once; mentions of one parent follow each other. */
        void adopt(Entry child) {
            if (children.isEmpty() || children.get(children.size() - 1) != child) {
                children.add(child);
            }
        }

        /** Forgets one mention of a parent. */
        void free(long parent) {
            for (int i = 0; i < parentCount; i++) {
                if (parents[i] == parent) {
                    parents[i] = parents[--parentCount];
                    return;
                }
            }
        }
    }

    /**
     * Reads the first window.
     *
     * @param window nodes to read ahead, at least 1
     */
    public WindowFeeder(NodeSource source, int window) {
        this.source = source;
        this.window = window;
        readWindow();
    }

    private void readWindow() {
        int read = 0;
        do {
            EtNode node = source.next();
            if (node == null) {
                isRead = true;
                break;
            }
            read++;
            add(new Entry(node));
        } while (read < window || unresolved > 0);
        for (Entry entry : graph.values()) {
            if (entry.parentCount == 0 && !readyIds.contains(entry.node.id())) {
                enqueue(entry);
            }
        }
    }

    private void add(Entry entry) {
        long id = entry.node.id();
        for (long parent : entry.node.dataDeps()) {
            Entry known = graph.get(parent);
            if (known == null) {
                entry.missing++;
                waiting.computeIfAbsent(parent, none -> new ArrayList<>(2)).add(entry);
            } else {
                known.adopt(entry);
            }
        }
        unresolved += entry.missing > 0 ? 1 : 0;
        graph.put(id, entry);
        List<Entry> children = waiting.remove(id);
        if (children != null) {
            for (Entry child : children) {
                entry.adopt(child);
                unresolved -= --child.missing == 0 ? 1 : 0;
            }
        }
    }

    private void enqueue(Entry entry) {
        readyIds.add(entry.node.id());
        ready.add(entry);
    }

    @Override
    public boolean isOpen() {
        return !graph.isEmpty() || !ready.isEmpty();
    }

    @Override
    public long left() {
        return graph.size();
    }

    @Override
    public @Nullable EtNode take() {
        Entry entry = ready.poll();
        if (entry == null) {
            return null;
        }
        readyIds.remove(entry.node.id());
        return entry.node;
    }

    private Entry entry(EtNode node) {
        Entry entry = graph.get(node.id());
        if (entry == null) {
            throw new IllegalStateException(node + " is done already");
        }
        return entry;
    }

    @Override
    public void finish(EtNode node) {
        Entry entry = entry(node);
        for (Entry child : entry.children) {
            child.free(node.id());
            if (child.parentCount == 0) {
                enqueue(child);
            }
        }
        graph.remove(node.id());
        if (!isRead && ready.size() < window) {
            readWindow();
        }
    }
}
