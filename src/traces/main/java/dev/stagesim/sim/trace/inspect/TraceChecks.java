package dev.stagesim.sim.trace.inspect;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.trace.inspect.TraceFinding.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;

/** Checks of a single trace: the conditions for a simulator to run it to the end. */
public final class TraceChecks {
    private static final int SHOWN_IN_CYCLE = 8;

    private final TraceGraph graph;
    private final int maxFindings;
    private final List<TraceFinding> all = new ArrayList<>();

    private TraceChecks(TraceGraph graph, int maxFindings) {
        this.graph = graph;
        this.maxFindings = maxFindings;
    }

    /**
     * Checks a trace.
     *
     * @param maxFindings maximum number of findings per rule
     */
    public static List<TraceFinding> check(TraceGraph graph, int maxFindings) {
        TraceChecks checks = new TraceChecks(graph, maxFindings);
        checks.metadata();
        checks.identities();
        checks.dependencies();
        checks.cycles();
        checks.types();
        checks.attributes();
        return List.copyOf(checks.all);
    }

    private TraceFindings findings(Rule rule) {
        return new TraceFindings(rule, graph.source(), maxFindings);
    }

    private void metadata() {
        if (!graph.hasMetadata()) {
            all.add(new TraceFinding(Rule.METADATA, graph.source(), "the file does not begin with metadata"));
        }
    }

    private void identities() {
        TraceFindings found = findings(Rule.UNIQUE_IDS);
        for (int node : graph.duplicates()) {
            found.add("more than one node has the id " + id(node));
        }
        found.addTo(all);
    }

    private void dependencies() {
        TraceFindings found = findings(Rule.DEPENDENCIES);
        for (int node = 0; node < graph.size(); node++) {
            for (int dep = graph.depBegin(node); dep < graph.depEnd(node); dep++) {
                String kind = graph.isData(node, dep) ? "data" : "control";
                if (graph.depNode(dep) == node) {
                    found.add(named(node) + " depends on itself (" + kind + ")");
                } else if (graph.depNode(dep) < 0) {
                    found.add(named(node) + " depends on node " + Long.toUnsignedString(graph.depId(dep)) + " (" + kind
                            + "), which is not there");
                }
            }
        }
        found.addTo(all);
    }

    private void cycles() {
        TopologicalOrder topology = TopologicalOrder.of(graph);
        if (!topology.isComplete()) {
            List<Integer> cycle = topology.cycle();
            String names = cycle.stream().limit(SHOWN_IN_CYCLE).map(this::named).collect(Collectors.joining(" after "));
            String more = cycle.size() > SHOWN_IN_CYCLE ? " after " + (cycle.size() - SHOWN_IN_CYCLE) + " more" : "";
            all.add(new TraceFinding(
                    Rule.CYCLES,
                    graph.source(),
                    (graph.size() - topology.order().length) + " nodes never become ready: " + names + more + " after "
                            + named(cycle.get(0))));
        }
        if (graph.size() > 0 && topology.order().length == 0) {
            all.add(new TraceFinding(Rule.CYCLES, graph.source(), "no node is free of dependencies"));
        }
    }

    private void types() {
        TraceFindings found = findings(Rule.TYPES);
        for (int node = 0; node < graph.size(); node++) {
            NodeType type = graph.type(node);
            if (type == NodeType.INVALID_NODE || type == NodeType.UNKNOWN_NODE) {
                found.add(named(node) + " has a type that does nothing");
            }
            long collective = graph.collective(node);
            if (type == NodeType.COMM_COLL_NODE
                    && collective != TraceGraph.NONE
                    && CollectiveType.of(collective).isEmpty()) {
                found.add(named(node) + " has the unknown collective " + collective);
            }
        }
        found.addTo(all);
    }

    private void attributes() {
        TraceFindings found = findings(Rule.ATTRIBUTES);
        for (int node = 0; node < graph.size(); node++) {
            NodeType type = graph.type(node);
            if (!type.isCommunication()) {
                continue;
            }
            List<String> missing = new ArrayList<>();
            need(missing, "comm_size", graph.bytes(node));
            if (type == NodeType.COMM_COLL_NODE) {
                need(missing, "comm_type", graph.collective(node));
            } else {
                need(missing, type == NodeType.COMM_SEND_NODE ? "comm_dst" : "comm_src", peer(type, node));
                need(missing, "comm_tag", graph.tag(node));
            }
            if (!missing.isEmpty()) {
                found.add(named(node) + " lacks " + String.join(", ", missing));
            } else if (graph.bytes(node) < 0 || (graph.bytes(node) == 0 && !isBarrier(node))) {
                found.add(named(node) + " moves " + graph.bytes(node) + " bytes");
            }
        }
        found.addTo(all);
    }

    /** Only barriers have no size; a simulator requires a size for all other communications. */
    private boolean isBarrier(int node) {
        return graph.type(node) == NodeType.COMM_COLL_NODE && graph.collective(node) == CollectiveType.BARRIER.number();
    }

    private long peer(NodeType type, int node) {
        return type == NodeType.COMM_SEND_NODE ? graph.targetRank(node) : graph.sourceRank(node);
    }

    private static void need(List<String> missing, String name, long value) {
        if (value == TraceGraph.NONE) {
            missing.add(name);
        }
    }

    private String id(int node) {
        return Long.toUnsignedString(graph.id(node));
    }

    private String named(int node) {
        return "node " + id(node) + " '" + graph.name(node) + "'";
    }
}
