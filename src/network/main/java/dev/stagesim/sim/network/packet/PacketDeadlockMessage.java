package dev.stagesim.sim.network.packet;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.network.Unmatched;
import dev.stagesim.sim.network.packet.topology.PortUse;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Explains why the flows of a packet network cannot finish. */
public final class PacketDeadlockMessage {
    private static final int MAX_LISTED = 8;

    private PacketDeadlockMessage() {}

    /** Returns the error of a deadlocked run, extended by the state of the network. */
    public static StageException error(StageException stuck, PacketNetwork network) {
        List<Problem> problems = new ArrayList<>(stuck.problems());
        Problem problem = problems.get(0);
        List<IncompleteFlow> open = network.openFlows();
        for (IncompleteFlow flow : open.subList(0, Math.min(MAX_LISTED, open.size()))) {
            problem = problem.note(
                    "flow " + flow.source() + "→" + flow.destination(),
                    flow.arrived() + " of " + flow.bytes() + " bytes arrived, " + flow.acknowledged()
                            + " acknowledged; waits for " + flow.waitsFor());
        }
        if (open.size() > MAX_LISTED) {
            problem = problem.note("", "and " + (open.size() - MAX_LISTED) + " more flows");
        }
        List<PortUse> paused = new ArrayList<>();
        network.ports(use -> {
            if (use.pauses().active()) {
                paused.add(use);
            }
        });
        problem = pauses(problem, paused);
        List<Unmatched> displaced = new ArrayList<>();
        network.displacedReceives(displaced::add);
        for (Unmatched receive : displaced.subList(0, Math.min(MAX_LISTED, displaced.size()))) {
            problem = problem.note(
                    "receive " + receive.source() + "→" + receive.destination(),
                    receive.count() + " of tag " + receive.tag()
                            + " were replaced by a later one of the same tag, as"
                            + " in the reference, and are never notified; compat=none matches individual messages");
        }
        PacketTotals totals = network.totals();
        if (totals.lost() > 0) {
            problem = problem.note("frames", totals.lost() + " lost on cables");
        }
        if (totals.dropped() > 0) {
            problem = problem.note("frames", totals.dropped() + " dropped at switches with a full buffer");
        }
        problems.set(0, problem);
        return StageException.input(problems);
    }

    private static Problem pauses(Problem stuck, List<PortUse> paused) {
        Problem problem = stuck;
        List<Integer> cycle = PauseCycle.find(paused);
        if (!cycle.isEmpty()) {
            String nodes = Stream.concat(cycle.stream(), Stream.of(cycle.get(0)))
                    .map(node -> "node " + node)
                    .collect(Collectors.joining(", paused by "));
            problem = problem.note("pauses", nodes + ": a cycle, which never resolves")
                    .hint("larger buffers, marks with congestion control, paths without cycles, or"
                            + " network.packet.switches.pauses=false");
        }
        List<PortUse> switchesFirst = paused.stream()
                .sorted(Comparator.comparing((PortUse use) -> !use.at().atSwitch()))
                .toList();
        for (PortUse port : switchesFirst.subList(0, Math.min(MAX_LISTED, switchesFirst.size()))) {
            problem = problem.note(
                    "paused",
                    "node " + port.at().node() + " port " + port.at().port() + " by node "
                            + port.at().peer());
        }
        return paused.size() > MAX_LISTED
                ? problem.note("", "and " + (paused.size() - MAX_LISTED) + " more ports")
                : problem;
    }

    /** Finds nodes that pause each other in a cycle (PFC deadlock). */
    static final class PauseCycle {
        private PauseCycle() {}

        /** Nodes of a cycle, each paused by the next and the last by the first; empty if there is none. */
        static List<Integer> find(List<PortUse> paused) {
            TreeMap<Integer, TreeSet<Integer>> pausers = new TreeMap<>();
            paused.forEach(use -> pausers.computeIfAbsent(use.at().node(), key -> new TreeSet<>())
                    .add(use.at().peer()));
            // A node paused only by running nodes will resume. Repeated removal leaves the cycles and the nodes that
            // depend on them.
            boolean changed = true;
            while (changed) {
                changed = false;
                for (Map.Entry<Integer, TreeSet<Integer>> each : List.copyOf(pausers.entrySet())) {
                    each.getValue().removeIf(pauser -> !pausers.containsKey(pauser));
                    if (each.getValue().isEmpty()) {
                        pausers.remove(each.getKey());
                        changed = true;
                    }
                }
            }
            List<Integer> path = new ArrayList<>();
            Integer node = pausers.isEmpty() ? null : pausers.firstKey();
            while (node != null && !path.contains(node)) {
                path.add(node);
                TreeSet<Integer> by = pausers.get(node);
                node = by == null ? null : by.first();
            }
            return node == null ? List.of() : List.copyOf(path.subList(path.indexOf(node), path.size()));
        }
    }
}
