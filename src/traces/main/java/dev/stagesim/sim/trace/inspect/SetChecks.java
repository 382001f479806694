package dev.stagesim.sim.trace.inspect;

import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.trace.inspect.TraceFinding.Rule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Checks between the traces of one run: every transfer needs two sides, every collective all its processors.
 *
 * <p>Only the required columns of each trace are kept, so a set may exceed memory. Transfers are matched by sender,
 * receiver and tag, the first send with the first receive; collectives by process group, in file order.
 */
public final class SetChecks {
    private final int maxFindings;
    private final Map<Integer, List<Integer>> members;
    private final SortedMap<Integer, String> sources = new TreeMap<>();
    /** Sizes of unmatched sends and receives per route. */
    private final SortedMap<Route, Transfers> transfers = new TreeMap<>();

    private final SortedMap<String, SortedMap<Integer, Sequence>> groups = new TreeMap<>();

    /** Sender, receiver and tag. */
    private record Route(long from, long to, long tag) implements Comparable<Route> {
        @Override
        public int compareTo(Route other) {
            int byFrom = Long.compare(from, other.from);
            int byTo = byFrom != 0 ? byFrom : Long.compare(to, other.to);
            return byTo != 0 ? byTo : Long.compare(tag, other.tag);
        }

        @Override
        public String toString() {
            return "from " + from + " to " + to + " with tag " + tag;
        }
    }

    /** Sizes of the sends and receives per route, in file order. */
    private static final class Transfers {
        private final List<Long> sent = new ArrayList<>();
        private final List<Long> received = new ArrayList<>();
    }

    /** Collectives of one processor in one group. */
    private static final class Sequence {
        private final List<String> labels = new ArrayList<>();
        private final List<Long> bytes = new ArrayList<>();
    }

    /**
     * Creates the checks for a set of traces.
     *
     * @param maxFindings maximum number of findings per rule
     * @param members ranks per group number; for other groups, the ranks that run a collective in the group
     */
    public SetChecks(int maxFindings, Map<Integer, List<Integer>> members) {
        this.maxFindings = maxFindings;
        this.members = members;
    }

    public void add(int rank, TraceGraph graph) {
        sources.put(rank, graph.source());
        for (int node = 0; node < graph.size(); node++) {
            switch (graph.type(node)) {
                case COMM_SEND_NODE -> transfer(rank, graph, node);
                case COMM_RECV_NODE -> transfer(rank, graph, node);
                case COMM_COLL_NODE -> {
                    Sequence sequence = groups.computeIfAbsent(name(graph.groupName(node)), none -> new TreeMap<>())
                            .computeIfAbsent(rank, none -> new Sequence());
                    sequence.labels.add(TraceStats.kind(graph, node));
                    sequence.bytes.add(graph.bytes(node));
                }
                default -> {
                    // Not a communication.
                }
            }
        }
    }

    /** Group 0 and a missing group both denote all processors. */
    private static String name(String group) {
        return group.equals("0") ? "" : group;
    }

    private void transfer(int rank, TraceGraph graph, int node) {
        boolean isSend = graph.type(node) == NodeType.COMM_SEND_NODE;
        long from = isSend && graph.sourceRank(node) == TraceGraph.NONE ? rank : graph.sourceRank(node);
        long to = !isSend && graph.targetRank(node) == TraceGraph.NONE ? rank : graph.targetRank(node);
        if (from == TraceGraph.NONE || to == TraceGraph.NONE || graph.tag(node) == TraceGraph.NONE) {
            // The check of the single trace reports this.
            return;
        }
        Transfers of = transfers.computeIfAbsent(new Route(from, to, graph.tag(node)), none -> new Transfers());
        (isSend ? of.sent : of.received).add(graph.bytes(node));
    }

    /** Returns all inconsistencies. */
    public List<TraceFinding> findings() {
        List<TraceFinding> all = new ArrayList<>();
        ranks(all);
        transfers(all);
        collectives(all);
        return all;
    }

    /** Simulators require traces for ranks 0 to n - 1. */
    private void ranks(List<TraceFinding> all) {
        TraceFindings found = new TraceFindings(Rule.RANKS, "set", maxFindings);
        int next = 0;
        for (int rank : sources.keySet()) {
            if (rank == next + 1) {
                found.add("there is no trace of rank " + next);
            } else if (rank > next) {
                found.add("there are no traces of ranks " + next + " to " + (rank - 1));
            }
            next = rank + 1;
        }
        found.addTo(all);
    }

    private void transfers(List<TraceFinding> all) {
        TraceFindings found = new TraceFindings(Rule.TRANSFERS, "set", maxFindings);
        transfers.forEach((way, list) -> {
            if (list.sent.size() != list.received.size()) {
                found.add(list.sent.size() + " sends and " + list.received.size() + " receives " + way + absent(way));
            }
            for (int i = 0; i < Math.min(list.sent.size(), list.received.size()); i++) {
                if (!list.sent.get(i).equals(list.received.get(i))) {
                    found.add("send and receive " + (i + 1) + " " + way + " move " + list.sent.get(i) + " and "
                            + list.received.get(i) + " bytes");
                }
            }
        });
        found.addTo(all);
    }

    private String absent(Route way) {
        for (long rank : new long[] {way.from(), way.to()}) {
            if (!sources.containsKey((int) rank)) {
                return "; there is no trace of rank " + rank;
            }
        }
        return "";
    }

    private void collectives(List<TraceFinding> all) {
        TraceFindings found = new TraceFindings(Rule.COLLECTIVES, "set", maxFindings);
        groups.forEach((group, ranks) -> {
            String name = group.isEmpty() ? "the group of all" : "group " + group;
            if (group.isEmpty() && ranks.size() < sources.size()) {
                found.add("only " + ranks.size() + " of " + sources.size() + " ranks have collectives of " + name);
            }
            membership(group, ranks, found);
            int first = ranks.firstKey();
            Sequence expected = ranks.get(first);
            for (Map.Entry<Integer, Sequence> each : ranks.entrySet()) {
                if (expected != null && each.getKey() != first) {
                    compare(name, first, expected, each.getKey(), each.getValue(), found);
                }
            }
        });
        found.addTo(all);
    }

    /** Reports the members of a declared group without its collectives, and non-members with some. */
    private void membership(String group, SortedMap<Integer, Sequence> ranks, TraceFindings found) {
        List<Integer> known = group.matches("\\d{1,9}") ? members.get(Integer.parseInt(group)) : null;
        if (known == null) {
            return;
        }
        for (int rank : known) {
            if (sources.containsKey(rank) && !ranks.containsKey(rank)) {
                found.add("rank " + rank + " is in group " + group + " and runs none of its collectives; "
                        + ranks.size() + (ranks.size() == 1 ? " rank does" : " ranks do"));
            }
        }
        for (int rank : ranks.keySet()) {
            if (!known.contains(rank)) {
                found.add("rank " + rank + " has collectives of group " + group + " but is not a member");
            }
        }
    }

    /** Reports the first difference between two sequences; later ones are often consequences. */
    private static void compare(
            String name, int first, Sequence expected, int rank, Sequence actual, TraceFindings found) {
        int common = Math.min(expected.labels.size(), actual.labels.size());
        for (int i = 0; i < common; i++) {
            String here = expected.labels.get(i) + " of " + expected.bytes.get(i) + " bytes";
            String there = actual.labels.get(i) + " of " + actual.bytes.get(i) + " bytes";
            if (!here.equals(there)) {
                found.add("collective " + (i + 1) + " of " + name + " is " + here + " on rank " + first + ", and "
                        + there + " on rank " + rank);
                return;
            }
        }
        if (expected.labels.size() != actual.labels.size()) {
            found.add("rank " + first + " has " + expected.labels.size() + " collectives of " + name + ", and rank "
                    + rank + " has " + actual.labels.size());
        }
    }
}
