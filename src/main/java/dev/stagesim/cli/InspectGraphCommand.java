package dev.stagesim.cli;

import dev.stagesim.io.chakra.TraceSet;
import dev.stagesim.io.drawing.DotGraph;
import dev.stagesim.io.drawing.GraphMl;
import dev.stagesim.io.drawing.PdfGraph;
import dev.stagesim.io.drawing.SvgGraph;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.trace.inspect.GraphView;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes a trace's dependencies as a graph. */
@Command(
        name = "graph",
        description = "Write the dependencies of a trace as a graph: DOT, GraphML, or for small ones SVG or PDF.",
        footer = {"", "Example: stage inspect graph trace.0.et --output trace.svg"})
final class InspectGraphCommand implements Callable<Integer> {
    /** Kinds of files. */
    enum Format {
        dot,
        graphml,
        svg,
        pdf
    }

    private static final int MOST = 1000;

    private final Console console;

    @Parameters(paramLabel = "FILE", description = "Trace to draw.")
    private Path file = Path.of("");

    @Option(
            names = "--format",
            paramLabel = "FORMAT",
            description = "${COMPLETION-CANDIDATES}; by default what the name of the output ends in, or dot.")
    private @Nullable Format format;

    @Option(names = "--output", paramLabel = "FILE", description = "File to write; stdout by default.")
    private @Nullable Path output;

    @Option(names = "--most", paramLabel = "N", description = "Most nodes to draw as svg or pdf; 1000 by default.")
    private @Nullable Integer most;

    @Mixin
    final CommonOptions common = new CommonOptions();

    InspectGraphCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        Format chosen = chosen();
        boolean isDrawn = chosen == Format.svg || chosen == Format.pdf;
        if (most != null && !isDrawn) {
            throw StageException.input(Problem.of("usage error", "--most", "has no effect on " + chosen));
        }
        int limit = most == null ? MOST : most;
        GraphView graph = GraphView.of(TraceSet.graph(file, true));
        if (isDrawn && graph.size() > limit) {
            throw StageException.input(
                    Problem.of("graph error", file.toString(), graph.size() + " nodes are more than --most " + limit)
                            .hint("--format graphml or dot has no such limit"));
        }
        if (chosen == Format.pdf) {
            ResultStream.bytes(console, output, List.of(file), out -> PdfGraph.write(graph, out));
            return ExitCode.DONE;
        }
        ResultStream.text(console, output, List.of(file), out -> {
            switch (chosen) {
                case dot -> DotGraph.write(graph, out);
                case graphml -> GraphMl.write(graph, out);
                default -> SvgGraph.write(graph, out);
            }
        });
        return ExitCode.DONE;
    }

    private Format chosen() {
        if (format != null) {
            return format;
        }
        if (output == null) {
            return Format.dot;
        }
        String name = String.valueOf(output.getFileName()).toLowerCase(Locale.ROOT);
        List<String> known = Arrays.stream(Format.values()).map(Enum::name).toList();
        return known.stream()
                .filter(each -> name.endsWith("." + each))
                .map(Format::valueOf)
                .findFirst()
                .orElseThrow(() -> StageException.input(
                        Problem.of("usage error", "--output " + output, "the ending tells no format")
                                .options(known)));
    }
}
