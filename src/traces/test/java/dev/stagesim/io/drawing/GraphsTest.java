package dev.stagesim.io.drawing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtNodes;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.trace.inspect.GraphView;
import dev.stagesim.sim.trace.inspect.IssueLog;
import dev.stagesim.sim.trace.inspect.TraceGraph;
import java.io.IOException;
import java.io.StringReader;
import java.io.StringWriter;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Document;
import org.xml.sax.InputSource;

class GraphsTest {
    private static TraceGraph graph(String... names) {
        TraceGraph graph = new TraceGraph("t.et", true, true);
        for (int i = 0; i < names.length; i++) {
            EtNode node = EtNode.of(i, names[i], NodeType.COMP_NODE).withDuration(4);
            graph.add(i == 0 ? node : EtNodes.withCtrlDeps(node.withDataDeps(i - 1), 0, 99));
        }
        return graph.build();
    }

    private static Document xml(String text) throws Exception {
        return DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(new InputSource(new StringReader(text)));
    }

    @Test
    void drawsWellFormedXmlForAnyName() throws Exception {
        GraphView view = GraphView.of(graph("a<b>&\"c\"", "x(y)\\z", "\u5c42"));
        StringBuilder svg = new StringBuilder();
        SvgGraph.write(view, svg);
        assertThat(xml(svg.toString()).getElementsByTagName("rect").getLength()).isEqualTo(4);
        StringBuilder graphml = new StringBuilder();
        GraphMl.write(view, graphml);
        Document document = xml(graphml.toString());
        assertThat(document.getElementsByTagName("node").getLength()).isEqualTo(4);
        assertThat(document.getElementsByTagName("edge").getLength())
                .as("one edge for each pair")
                .isEqualTo(5);
    }

    @Test
    void rejectsNamesWithCharactersOutsideXml() {
        assertThatThrownBy(() -> GraphMl.write(GraphView.of(graph("a\u0001b")), new StringBuilder()))
                .hasMessageContaining("XML does not allow the character 1");
    }

    @Test
    void drawsGraphsWithCycles() throws IOException {
        TraceGraph round = new TraceGraph("t.et", true, true);
        round.add(EtNode.of(1, "a", NodeType.COMP_NODE).withDataDeps(2));
        round.add(EtNode.of(2, "b", NodeType.COMP_NODE).withDataDeps(1));
        StringBuilder svg = new StringBuilder();
        SvgGraph.write(GraphView.of(round.build()), svg);
        assertThat(svg).contains("</svg>");
    }

    @Test
    void usesRecordedStartsIfPresent() throws IOException {
        TraceGraph graph = new TraceGraph("t.et", true, true);
        graph.add(EtNode.of(1, "a", NodeType.COMP_NODE).withTimes(0, 5));
        graph.add(EtNode.of(2, "b", NodeType.COMP_NODE).withTimes(0, 5));
        graph.add(EtNode.of(3, "c", NodeType.COMM_COLL_NODE).withDataDeps(1).withTimes(0, 2));
        List<LocatedJson> events = events(graph.build());
        assertThat(events).extracting(event -> event.get("ts").asLong()).containsExactly(0L, 0L, 5L);
        assertThat(events).extracting(event -> event.get("tid").asLong()).containsExactly(1000L, 1001L, 2000L);
        TraceGraph recorded = new TraceGraph("t.et", true, true);
        recorded.add(EtNode.of(1, "a", NodeType.COMP_NODE).withTimes(40, 5));
        assertThat(events(recorded.build()).get(0).get("ts").asLong()).isEqualTo(40);
    }

    private static List<LocatedJson> events(TraceGraph graph) throws IOException {
        StringWriter out = new StringWriter();
        TimelineJson json = TimelineJson.begin(out);
        json.add(3, graph);
        json.end();
        return Json.parse(out.toString(), "timeline").get("traceEvents").items().stream()
                .filter(event -> event.get("ph").asString().equals("X"))
                .toList();
    }

    @Test
    void rejectsCallbacksWithoutAnIssue() {
        List<String> lines =
                List.of("x", "issue,npu=0,cycle=2000,node=5,name=COMP_NODE_a", "callback,npu=0,cycle=5000,node=5,n=n");
        List<IssueLog.Run> runs = IssueLog.read("log", lines.iterator(), 1);
        assertThat(runs).containsExactly(new IssueLog.Run(0, 3, "COMP_NODE_a", 2000, 5000));
        assertThatThrownBy(() -> IssueLog.read("log", lines.subList(2, 3).iterator(), 1))
                .hasMessageContaining("log:1: node 5 of processor 0 was not issued");
        assertThatThrownBy(() -> IssueLog.read("log", lines.iterator(), 0))
                .hasMessageContaining("no processor 0 among 0");
    }

    @Test
    void escapesBackslashesExceptInCompatMode() throws IOException {
        GraphView view = GraphView.of(graph("a\\l\u2028{b}\"c"));
        StringBuilder ours = new StringBuilder();
        DotGraph.write(view, ours);
        assertThat(ours).contains("label=\"a\\\\l\u2028\\{b\\}\\\"c\"");
        StringBuilder reference = new StringBuilder();
        DotGraph.write(view, reference, true);
        assertThat(reference).contains("label=\"a\\l\u2028\\{b\\}\\\"c\"");
    }
}
