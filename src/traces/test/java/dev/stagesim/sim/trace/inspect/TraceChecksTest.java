package dev.stagesim.sim.trace.inspect;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtNodes;
import dev.stagesim.model.trace.NodeType;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

class TraceChecksTest {
    private static EtNode comp(long id, long... deps) {
        return EtNode.of(id, "n" + id, NodeType.COMP_NODE).withDataDeps(deps).withDuration(10);
    }

    private static EtNode transfer(long id, boolean isSend, int peer, int tag, long bytes) {
        return EtNode.of(
                id,
                "t" + id,
                isSend ? NodeType.COMM_SEND_NODE : NodeType.COMM_RECV_NODE,
                EtAttribute.ofLong("comm_size", bytes),
                EtAttribute.ofInt(isSend ? "comm_dst" : "comm_src", peer),
                EtAttribute.ofInt("comm_tag", tag));
    }

    private static EtNode collective(long id, int type, long bytes, String group) {
        return EtNode.of(
                id,
                "c" + id,
                NodeType.COMM_COLL_NODE,
                EtAttribute.ofLong("comm_type", type),
                EtAttribute.ofLong("comm_size", bytes),
                EtAttribute.ofText("pg_name", group));
    }

    private static TraceGraph graph(EtNode... nodes) {
        TraceGraph graph = new TraceGraph("t.et", true, true);
        Arrays.stream(nodes).forEach(graph::add);
        return graph.build();
    }

    private static List<String> findings(EtNode... nodes) {
        return TraceChecks.check(graph(nodes), 5).stream()
                .map(finding -> finding.rule().label() + ": " + finding.what())
                .toList();
    }

    @Test
    void findsNothingInAValidTrace() {
        assertThat(findings(
                        comp(1),
                        comp(2, 1),
                        EtNodes.withCtrlDeps(collective(3, 0, 8, "0"), 2),
                        transfer(4, true, 1, 0, 8)))
                .isEmpty();
        assertThat(findings()).isEmpty();
    }

    @Test
    void reportsNodesThatCannotRun() {
        assertThat(findings(comp(1, 9), comp(2, 2), comp(2)))
                .containsExactly(
                        "unique_ids: more than one node has the id 2",
                        "dependencies: node 1 'n1' depends on node 9 (data), which is not there",
                        "dependencies: node 2 'n2' depends on itself (data)",
                        "cycles: 1 nodes never become ready: node 2 'n2' after node 2 'n2'");
        assertThat(findings(comp(1, 3), EtNodes.withCtrlDeps(comp(2, 1), 1), comp(3, 2), comp(4, 3)))
                .contains(
                        "cycles: 4 nodes never become ready: node 1 'n1' after node 3 'n3' after node 2 'n2' after node 1"
                                + " 'n1'",
                        "cycles: no node is free of dependencies");
        assertThat(findings(EtNode.of(1, "s", NodeType.COMM_SEND_NODE), EtNode.of(2, "i", NodeType.INVALID_NODE)))
                .containsExactly(
                        "types: node 2 'i' has a type that does nothing",
                        "attributes: node 1 's' lacks comm_size, comm_dst, comm_tag");
    }

    @Test
    void reportsCollectivesWithoutDataExceptBarriers() {
        assertThat(findings(collective(1, CollectiveType.BARRIER.number(), 0, "")))
                .isEmpty();
        assertThat(findings(collective(1, 0, 0, ""), transfer(2, true, 1, 0, 0)))
                .containsExactly("attributes: node 1 'c1' moves 0 bytes", "attributes: node 2 't2' moves 0 bytes");
    }

    @Test
    void reportsGapsInRanks() {
        SetChecks set = new SetChecks(5, Map.of());
        for (int rank : new int[] {1, 2, 5}) {
            set.add(rank, graph(comp(1)));
        }
        assertThat(set.findings())
                .extracting(finding -> finding.rule().label() + ": " + finding.what())
                .containsExactly("ranks: there is no trace of rank 0", "ranks: there are no traces of ranks 3 to 4");
    }

    @Test
    void limitsTheFindingsOfARule() {
        EtNode[] nodes = new EtNode[9];
        for (int i = 0; i < nodes.length; i++) {
            nodes[i] = comp(i, 100);
        }
        assertThat(findings(nodes)).hasSize(6).last().isEqualTo("dependencies: and 4 more");
    }

    private static List<String> set(TraceGraph... traces) {
        return set(Map.of(), traces);
    }

    private static List<String> set(Map<Integer, List<Integer>> groups, TraceGraph... traces) {
        SetChecks checks = new SetChecks(9, groups);
        for (int rank = 0; rank < traces.length; rank++) {
            checks.add(rank, traces[rank]);
        }
        return checks.findings().stream().map(TraceFinding::what).toList();
    }

    @Test
    void reportsTransfersWithoutTheirCounterpart() {
        assertThat(set(graph(transfer(1, true, 1, 7, 8)), graph(transfer(1, false, 0, 7, 8))))
                .isEmpty();
        assertThat(set(
                        graph(transfer(1, true, 1, 7, 8), transfer(2, true, 5, 1, 8)),
                        graph(transfer(1, false, 0, 7, 16), transfer(2, false, 0, 8, 8))))
                .containsExactly(
                        "send and receive 1 from 0 to 1 with tag 7 move 8 and 16 bytes",
                        "0 sends and 1 receives from 0 to 1 with tag 8",
                        "1 sends and 0 receives from 0 to 5 with tag 1; there is no trace of rank 5");
    }

    @Test
    void reportsCollectivesWithMissingProcessors() {
        TraceGraph first = graph(collective(1, 0, 8, "0"), collective(2, 2, 8, "3"));
        assertThat(set(first, graph(collective(5, 0, 8, ""), collective(6, 2, 8, "3"))))
                .isEmpty();
        assertThat(set(
                        first,
                        graph(collective(1, 0, 16, "0"), collective(2, 2, 8, "3"), collective(3, 2, 8, "3")),
                        graph()))
                .containsExactly(
                        "only 2 of 3 ranks have collectives of the group of all",
                        "collective 1 of the group of all is ALL_REDUCE of 8 bytes on rank 0, and ALL_REDUCE of 16"
                                + " bytes on rank 1",
                        "rank 0 has 1 collectives of group 3, and rank 1 has 2");
    }

    @Test
    void reportsProcessorsOutsideTheirGroup() {
        TraceGraph calls = graph(collective(1, 0, 8, "3"));
        TraceGraph silent = graph(comp(1));
        assertThat(set(Map.of(3, List.of(0, 1)), calls, calls, silent)).isEmpty();
        assertThat(set(Map.of(3, List.of(0, 2, 7)), calls, calls, silent))
                .containsExactly(
                        "rank 2 is in group 3 and runs none of its collectives; 2 ranks do",
                        "rank 1 has collectives of group 3 but is not a member");
    }

    @Test
    void findsTheLongestChain() {
        TraceGraph graph = graph(
                comp(1).withDuration(5),
                comp(2, 1).withDuration(7),
                comp(3, 1).withDuration(9),
                comp(4, 2, 3).withDuration(1),
                collective(5, 0, 64, ""));
        TraceStats stats = TraceStats.of(graph);
        assertThat(stats.path().orElseThrow().micros()).isEqualTo(15);
        assertThat(stats.path().orElseThrow().nodes()).containsExactly(0, 2, 3);
        assertThat(stats.types().get(NodeType.COMP_NODE)).isEqualTo(new TraceStats.Totals(4, 22, 0));
        assertThat(stats.collectives()).containsEntry("ALL_REDUCE", new TraceStats.Totals(1, 0, 64));
        assertThat(stats.roots()).isEqualTo(2);
        assertThat(stats.leaves()).isEqualTo(2);
        assertThat(TraceStats.of(graph(comp(1, 2), comp(2, 1))).path()).isEmpty();
    }

    @Test
    void findsDifferencesNodeByNode() {
        TraceDiff diff = new TraceDiff(List.of(comp(1), comp(2, 1), comp(3), collective(4, 0, 8, "")));
        assertThat(diff.next(comp(1))).isEmpty();
        TraceDiff.Change changed = diff.next(comp(2, 1, 3).withDuration(11)).orElseThrow();
        assertThat(changed.fields()).containsOnlyKeys("data_deps", "duration_micros");
        assertThat(changed.fields().get("data_deps")).isEqualTo(new TraceDiff.Values("[1]", "[1, 3]"));
        assertThat(diff.next(collective(4, 0, 9, "")).orElseThrow().fields())
                .containsEntry("attr.comm_size", new TraceDiff.Values("8 int64", "9 int64"));
        assertThat(diff.next(comp(7)).orElseThrow().kind()).isEqualTo(TraceDiff.Kind.ADDED);
        assertThat(diff.removed()).extracting(TraceDiff.Change::id).containsExactly(3L);
    }
}
