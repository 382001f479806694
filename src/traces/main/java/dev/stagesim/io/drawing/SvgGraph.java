package dev.stagesim.io.drawing;

import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.trace.inspect.GraphView;
import dev.stagesim.sim.trace.inspect.LayeredDrawing;
import java.io.IOException;

/** Draws a small graph as SVG with a light and a dark theme; control dependencies are dashed. */
public final class SvgGraph {
    private static final String STYLE =
            """
            text{font:12px ui-sans-serif,system-ui,sans-serif;text-anchor:middle;fill:#1c1c1a}
            rect{stroke:#6b6a64;fill:#f4f3ee}
            path{fill:none;stroke:#8a8983}
            .control{stroke-dasharray:4 3}
            .comm{fill:#dce9f9}.mem{fill:#efe3f6}.host{fill:#f7eed5}.bare{fill:none;stroke-dasharray:2 2}
            @media(prefers-color-scheme:dark){text{fill:#e8e6df}rect{fill:#33322e;stroke:#97958c}path{stroke:#8a8983}
            .comm{fill:#233a57}.mem{fill:#43305a}.host{fill:#4a3f1f}.bare{fill:none}}
            """;

    private SvgGraph() {}

    public static void write(GraphView graph, Appendable out) throws IOException {
        LayeredDrawing layout = LayeredDrawing.of(graph);
        out.append(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" + layout.totalWidth() + "\" height=\""
                        + layout.totalHeight() + "\" viewBox=\"0 0 " + layout.totalWidth() + " " + layout.totalHeight()
                        + "\">\n<style>\n" + STYLE + "</style>\n"
                        + "<defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"8\" refY=\"4\" markerWidth=\"7\""
                        + " markerHeight=\"7\" orient=\"auto\"><path d=\"M0 0L8 4L0 8z\" style=\"fill:#8a8983\"/></marker></defs>\n");
        for (int edge = 0; edge < graph.edgeCount(); edge++) {
            edge(graph, layout, edge, out);
        }
        for (int node = 0; node < graph.size(); node++) {
            node(graph, layout, node, out);
        }
        out.append("</svg>\n");
    }

    private static void edge(GraphView graph, LayeredDrawing layout, int edge, Appendable out) throws IOException {
        int from = graph.from(edge);
        int to = graph.to(edge);
        int x1 = layout.left(from) + layout.width(from) / 2;
        int y1 = layout.top(from) + LayeredDrawing.HEIGHT;
        int x2 = layout.left(to) + layout.width(to) / 2;
        int y2 = layout.top(to);
        int bend = Math.max(12, (y2 - y1) / 2);
        out.append("<path class=\"" + (graph.isData(edge) ? "data" : "control") + "\" marker-end=\"url(#arrow)\" d=\"M"
                + x1 + " " + y1 + "C" + x1 + " " + (y1 + bend) + " " + x2 + " " + (y2 - bend) + " " + x2 + " " + y2
                + "\"/>\n");
    }

    private static void node(GraphView graph, LayeredDrawing layout, int node, Appendable out) throws IOException {
        out.append("<g><title>");
        String label = graph.label(node).map(name -> " " + name).orElse("");
        GraphMl.escape(shown(graph.id(node) + label + ", " + graph.duration(node) + " us"), out);
        out.append("</title><rect class=\"" + kind(graph, node) + "\" rx=\"4\" x=\"" + layout.left(node) + "\" y=\""
                + layout.top(node) + "\" width=\"" + layout.width(node) + "\" height=\"" + LayeredDrawing.HEIGHT
                + "\"/><text x=\"" + (layout.left(node) + layout.width(node) / 2) + "\" y=\"" + (layout.top(node) + 18)
                + "\">");
        GraphMl.escape(shown(LayeredDrawing.text(graph, node)), out);
        out.append("</text></g>\n");
    }

    private static String kind(GraphView graph, int node) {
        NodeType type = graph.type(node).orElse(NodeType.INVALID_NODE);
        if (graph.type(node).isEmpty()) {
            return "bare";
        }
        if (type.isCommunication()) {
            return "comm";
        }
        if (type == NodeType.MEM_LOAD_NODE || type == NodeType.MEM_STORE_NODE) {
            return "mem";
        }
        return graph.isHost(node) ? "host" : "comp";
    }

    private static String shown(String text) {
        return text.replaceAll("[\\x00-\\x1f]", " ");
    }
}
