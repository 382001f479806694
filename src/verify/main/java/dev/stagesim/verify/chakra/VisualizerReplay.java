package dev.stagesim.verify.chakra;

import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.io.drawing.DotGraph;
import dev.stagesim.io.drawing.GraphMl;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.inspect.GraphView;
import dev.stagesim.sim.trace.inspect.TraceGraph;
import dev.stagesim.verify.Deviation;
import dev.stagesim.verify.Difference;
import dev.stagesim.verify.ToolArguments;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Graphs of traces: GraphML byte for byte, DOT by its structure. */
final class VisualizerReplay {
    private static final String PDF = ".pdf";

    private VisualizerReplay() {}

    static List<Difference> replay(ChakraCase recorded) throws IOException {
        ToolArguments arguments =
                ToolArguments.parse(recorded.arguments(), List.of("--input_filename", "--output_filename"));
        String output = arguments.get("--output_filename");
        GraphView graph = graph(recorded.file(arguments.get("--input_filename")));
        if (output.endsWith(".graphml")) {
            StringBuilder text = new StringBuilder();
            GraphMl.write(graph, text);
            return recorded.compare(Map.of(output, text.toString().getBytes(StandardCharsets.UTF_8)));
        }
        if (output.endsWith(".dot")) {
            return dot(recorded, output, graph);
        }
        if (output.endsWith(PDF)) {
            StringBuilder text = new StringBuilder();
            DotGraph.write(graph, text, true);
            return DotStructure.of(text.toString()).isEmpty()
                    ? List.of(new Difference(output, "a graph", "nothing"))
                    : List.of();
        }
        // For an unsupported file extension the tool prints a message and writes nothing. The product reports an error.
        return recorded.expected().isEmpty()
                        && recorded.json().get("stdout").asString().startsWith("Unknown")
                ? List.of()
                : List.of(new Difference("outcome", "a result", "an unknown kind of file"));
    }

    static Optional<Deviation> deviation(ChakraCase recorded) {
        return recorded.arguments().stream().anyMatch(word -> word.endsWith(PDF))
                ? Optional.of(new Deviation(
                        "graph-pdf",
                        "specs/inspect.md",
                        "Graphviz creates the PDF from the DOT file, as in the reference tool"))
                : Optional.empty();
    }

    private static GraphView graph(Path file) throws IOException {
        try (EtReader reader = EtReader.openAsPython(file)) {
            TraceGraph graph = new TraceGraph(file.toString(), true, reader.hasMetadata());
            for (EtNode node = reader.next(); node != null; node = reader.next()) {
                graph.add(node);
            }
            return GraphView.of(graph.build());
        }
    }

    private static List<Difference> dot(ChakraCase recorded, String output, GraphView graph) throws IOException {
        StringBuilder text = new StringBuilder();
        DotGraph.write(graph, text, true);
        List<Difference> differences = new ArrayList<>();
        byte[] expected = recorded.expected().getOrDefault(output, new byte[0]);
        List<String> wanted = DotStructure.of(new String(expected, StandardCharsets.UTF_8));
        List<String> actual = DotStructure.of(text.toString());
        for (int i = 0; i < Math.max(wanted.size(), actual.size()); i++) {
            String first = i < wanted.size() ? wanted.get(i) : "nothing more";
            String second = i < actual.size() ? actual.get(i) : "nothing more";
            if (!first.equals(second)) {
                differences.add(new Difference(output, first, second));
                break;
            }
        }
        return differences;
    }
}
