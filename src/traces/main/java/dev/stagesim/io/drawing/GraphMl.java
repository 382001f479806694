package dev.stagesim.io.drawing;

import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.LongIndex;
import dev.stagesim.sim.core.StableOrder;
import dev.stagesim.sim.trace.inspect.GraphView;
import java.io.IOException;
import java.util.Arrays;

/**
 * Writes a graph as GraphML, with node names as labels and one edge per pair of nodes. The edge is labelled data or
 * control; control if both exist.
 */
public final class GraphMl {
    private static final String SCHEMA = "http://graphml.graphdrawing.org/xmlns";

    private GraphMl() {}

    public static void write(GraphView graph, Appendable out) throws IOException {
        out.append("<?xml version='1.0' encoding='utf-8'?>\n<graphml xmlns=\"")
                .append(SCHEMA)
                .append("\" xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" xsi:schemaLocation=\"")
                .append(SCHEMA)
                .append(" ")
                .append(SCHEMA)
                .append("/1.0/graphml.xsd\">");
        if (graph.edgeCount() > 0) {
            out.append("<key id=\"d1\" for=\"edge\" attr.name=\"dependency\" attr.type=\"string\"/>\n");
        }
        if (graph.size() > 0) {
            out.append("<key id=\"d0\" for=\"node\" attr.name=\"label\" attr.type=\"string\"/>\n");
        }
        out.append("<graph edgedefault=\"directed\">");
        for (int node = 0; node < graph.size(); node++) {
            node(graph, node, out);
        }
        edges(graph, out);
        out.append("</graph></graphml>");
    }

    private static void node(GraphView graph, int node, Appendable out) throws IOException {
        out.append("<node id=\"").append(graph.id(node)).append("\"");
        if (graph.label(node).isEmpty()) {
            out.append("/>\n");
            return;
        }
        out.append(">\n  <data key=\"d0\">");
        escape(graph.label(node).get(), out);
        out.append("</data>\n</node>\n");
    }

    private static void edges(GraphView graph, Appendable out) throws IOException {
        LongIndex pairs = new LongIndex(graph.edgeCount());
        boolean[] isData = new boolean[graph.edgeCount()];
        int[] first = new int[graph.edgeCount()];
        int count = 0;
        for (int edge = 0; edge < graph.edgeCount(); edge++) {
            long pair = (long) graph.from(edge) << 32 | graph.to(edge);
            int at = pairs.get(pair);
            if (at < 0) {
                pairs.put(pair, edge);
                first[count++] = edge;
                at = edge;
            }
            isData[at] = graph.isData(edge);
        }
        int[] order = Arrays.copyOf(first, count);
        StableOrder.sort(order, (a, b) -> Integer.compare(graph.from(a), graph.from(b)));
        for (int edge : order) {
            out.append("<edge source=\"")
                    .append(graph.id(graph.from(edge)))
                    .append("\" target=\"")
                    .append(graph.id(graph.to(edge)))
                    .append("\">\n  <data key=\"d1\">")
                    .append(isData[edge] ? "data" : "control")
                    .append("</data>\n</edge>\n");
        }
    }

    static void escape(String text, Appendable out) throws IOException {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            switch (c) {
                case '&' -> out.append("&amp;");
                case '<' -> out.append("&lt;");
                case '>' -> out.append("&gt;");
                case '\r' -> out.append("&#13;");
                default -> {
                    if (c < ' ' && c != '\t' && c != '\n') {
                        throw StageException.input(Problem.of(
                                "graph error",
                                "name",
                                "XML does not allow the character " + (int) c + " of '" + text + "'"));
                    }
                    out.append(c);
                }
            }
        }
    }
}
