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
 * Version 1 of the reference's feeder: data dependencies only, with a window of nodes read ahead.
 *
 * <p>Reproduces the reference on malformed traces. A node never becomes ready if a parent is missing, is the node
 * itself, is listed twice, is part of a cycle, or completed before the node was read. In these cases {@link #isOpen}
 * remains true and {@link #take} returns null. A node that is issued but not complete when the next window is read is
 * issued again.
 *
 * <p>Memory grows with the number of incomplete nodes. A forward reference takes constant time; the reference searches
 * all of them for every node read.
 */
public final class WindowFeeder implements Feeder {
    /** Size of the reference's read-ahead window, in nodes. */
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

    /** A node that was read, with the nodes that depend on it. */
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

        /** Adds a child once; repeated mentions of a parent are adjacent. */
        void adopt(Entry child) {
            if (children.isEmpty() || children.get(children.size() - 1) != child) {
                children.add(child);
            }
        }

        /** Removes one mention of a parent. */
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
     * @param window number of nodes to read ahead, at least 1
     */
    WindowFeeder(NodeSource source, int window) {
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
