package dev.stagesim.sim.trace.feed;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.PriorityQueue;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Version 3 of the reference's feeder: data and control dependencies from an index of the whole trace; repeated
 * dependencies count once.
 *
 * <p>If several nodes have the same id, the last one is used, with the dependencies of all. Nodes on a cycle are never
 * issued, and {@link #isOpen} becomes false without them.
 *
 * <p>Memory grows with the number of nodes. All nodes are stored here; the reference stores their file offsets.
 */
public final class IndexFeeder implements Feeder {
    private final String source;
    private final Map<Long, EtNode> nodes = new LinkedHashMap<>();
    private final Layer data = new Layer("data");
    private final Layer control = new Layer("ctrl");
    private final Layer both = new Layer("enabled");
    private final PriorityQueue<Long> ready = new PriorityQueue<>(Long::compareUnsigned);
    private int taken;
    private int done;

    /** Dependencies of one kind between node ids. */
    private static final class Layer {
        final String name;
        final Map<Long, TreeSet<Long>> parents = new LinkedHashMap<>();
        final Map<Long, List<Long>> children = new LinkedHashMap<>();

        Layer(String name) {
            this.name = name;
        }

        void add(long id, long[] deps) {
            TreeSet<Long> known = parents.computeIfAbsent(id, none -> new TreeSet<>());
            for (long parent : deps) {
                parents.computeIfAbsent(parent, none -> new TreeSet<>());
                if (known.add(parent)) {
                    children.computeIfAbsent(parent, none -> new ArrayList<>(2)).add(id);
                }
            }
        }

        /** Ids without parents, in ascending order. */
        List<Long> free() {
            return parents.entrySet().stream()
                    .filter(entry -> entry.getValue().isEmpty())
                    .map(Map.Entry::getKey)
                    .sorted(Long::compareUnsigned)
                    .toList();
        }
    }

    /**
     * Reads the whole trace.
     *
     * @param source name of the trace in messages
     */
    public IndexFeeder(String source, NodeSource trace) {
        this.source = source;
        for (EtNode node = trace.next(); node != null; node = trace.next()) {
            nodes.put(node.id(), node);
            data.add(node.id(), node.dataDeps());
            control.add(node.id(), node.ctrlDeps());
            both.add(node.id(), node.dataDeps());
            both.add(node.id(), node.ctrlDeps());
        }
        check(data);
        check(control);
        check(both);
        ready.addAll(both.free());
    }

    private void check(Layer layer) {
        List<Long> free = layer.free();
        if (free.isEmpty()) {
            throw wrong("no node is free of " + layer.name + " dependencies, so no node can start");
        }
        for (long id : free) {
            if (!nodes.containsKey(id)) {
                throw wrong("node " + Long.toUnsignedString(id) + " is a " + layer.name
                        + " dependency, but not in the trace");
            }
        }
    }

    private StageException wrong(String what) {
        return StageException.input(Problem.trace(source, what));
    }

    @Override
    public boolean isOpen() {
        return !ready.isEmpty() || taken > 0;
    }

    @Override
    public long left() {
        return (long) nodes.size() - done;
    }

    @Override
    public @Nullable EtNode take() {
        Long id = ready.poll();
        if (id == null) {
            return null;
        }
        taken++;
        return nodes.get(id);
    }

    @Override
    public void finish(EtNode node) {
        taken--;
        done++;
        for (long child : both.children.getOrDefault(node.id(), List.of())) {
            TreeSet<Long> parents = both.parents.get(child);
            if (parents != null && parents.remove(node.id()) && parents.isEmpty()) {
                ready.add(child);
            }
        }
    }
}
