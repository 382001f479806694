package dev.stagesim.io.drawing;

import dev.stagesim.sim.trace.inspect.GraphView;
import java.io.IOException;

/**
 * Writes a graph for Graphviz.
 *
 * <p>Nodes are records labelled with their names. Arrowheads are {@code normal} for data dependencies and {@code tee}
 * for control dependencies. Graphviz computes the layout: {@code dot -Tsvg}.
 */
public final class DotGraph {
    private static final String SPECIAL = "{}()<>[]|&-\\";

    private DotGraph() {}

    public static void write(GraphView graph, Appendable out) throws IOException {
        write(graph, out, false);
    }

    /**
     * Writes a graph.
     *
     * @param isReference true to keep backslashes in names that begin a Graphviz escape, like the reference
     */
    public static void write(GraphView graph, Appendable out, boolean isReference) throws IOException {
        out.append("digraph {\n");
        for (int node = 0; node < graph.size(); node++) {
            if (graph.label(node).isPresent()) {
                String id = graph.id(node);
                out.append("\t").append(id).append(" [id=\"").append(id).append("\", label=\"");
                label(graph.label(node).get(), isReference, out);
                out.append("\", shape=record];\n");
            }
        }
        for (int edge = 0; edge < graph.edgeCount(); edge++) {
            out.append("\t")
                    .append(graph.id(graph.from(edge)))
                    .append(" -> ")
                    .append(graph.id(graph.to(edge)))
                    .append(graph.isData(edge) ? " [arrowhead=normal];\n" : " [arrowhead=tee];\n");
        }
        out.append("}\n");
    }

    private static void label(String name, boolean isReference, Appendable out) throws IOException {
        boolean isEscaped = false;
        for (int i = 0; i < name.length(); i++) {
            char c = name.charAt(i);
            boolean isKept = isReference && (c == '\\' || (c == '"' && isEscaped));
            if (!isKept && (SPECIAL.indexOf(c) >= 0 || c == '"')) {
                out.append('\\');
            }
            isEscaped = c == '\\' && !isEscaped;
            out.append(c);
        }
    }
}
