package dev.stagesim.cli.inspect;

import dev.stagesim.cli.console.Console;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.ResultStream;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.io.chakra.EtJson;
import dev.stagesim.io.chakra.EtLines;
import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.io.chakra.FeederFiles;
import dev.stagesim.io.chakra.TraceInput;
import dev.stagesim.model.Problem;
import dev.stagesim.model.Shell;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.feed.Feeder;
import dev.stagesim.sim.trace.feed.FeederVersion;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the messages of a trace as JSON. */
@Command(
        name = "show",
        description = "Print a trace as JSON lines: the metadata first, then one node per line.",
        footer = {"", "Example: stage inspect show trace.0.et | head -3"})
final class InspectShowCommand extends Subcommand {
    /** The names of feeders. */
    enum FeederName {
        v1,
        v3
    }

    @Parameters(paramLabel = "FILE", description = "Trace to show.")
    private Path file = Path.of("");

    @Option(names = "--protobuf", description = "Print protobuf's JSON format instead: objects without separators.")
    private boolean protobuf;

    @Option(names = "--limit", paramLabel = "N", description = "Print the first N nodes only.")
    private long limit = Long.MAX_VALUE;

    @Option(
            names = "--feeder",
            paramLabel = "VERSION",
            description = "Print the nodes in the order of a feeder of the reference, with each node completed"
                    + " before the next is taken: ${COMPLETION-CANDIDATES}. Exit code 3 if some nodes are never ready.")
    private @Nullable FeederName feeder;

    @Override
    public Integer call() throws IOException {
        return feeder == null ? show(console(), file, protobuf, limit) : issued(feeder);
    }

    private int issued(FeederName name) throws IOException {
        checkLimit(limit);
        if (protobuf) {
            throw StageException.input(Problem.usage("--feeder", "cannot be combined with --protobuf"));
        }
        if (TraceInput.isLegacy(file)) {
            throw StageException.input(Problem.usage("--feeder", "does not support traces of schema 0.0.1"));
        }
        FeederVersion version = name == FeederName.v1 ? FeederVersion.V1 : FeederVersion.V3;
        Feeder nodes = FeederFiles.open(file, version);
        long count = 0;
        try (Writer out = ResultStream.writer(console())) {
            for (EtNode node = count < limit ? nodes.take() : null; node != null; ) {
                out.write(EtLines.line(node));
                out.write('\n');
                nodes.finish(node);
                node = ++count < limit ? nodes.take() : null;
            }
        }
        if (count < limit && nodes.left() > 0) {
            throw StageException.check(Problem.of(
                            "feeder " + name,
                            file.toString(),
                            "no node is ready after " + count + " nodes, and " + nodes.left() + " remain")
                    .hint("./stage inspect check " + Shell.operand(file.toString()) + " may find the cause"));
        }
        return ExitCode.DONE;
    }

    static int show(Console console, Path file, boolean isProtobuf, long limit) throws IOException {
        checkLimit(limit);
        if (!isProtobuf) {
            lines(console, file, limit);
            return ExitCode.DONE;
        }
        if (limit != Long.MAX_VALUE) {
            throw StageException.input(Problem.usage("--limit", "cannot be combined with --protobuf"));
        }
        if (TraceInput.isLegacy(file)) {
            throw StageException.input(Problem.usage("--protobuf", "does not support traces of schema 0.0.1"));
        }
        try (EtReader trace = EtReader.open(file);
                OutputStream out = ResultStream.open(console)) {
            EtJson.write(trace, out);
        }
        return ExitCode.DONE;
    }

    private static void checkLimit(long limit) {
        if (limit < 0) {
            throw StageException.input(Problem.usage("--limit " + limit, "expected a number from 0"));
        }
    }

    private static void lines(Console console, Path file, long limit) throws IOException {
        try (TraceInput input = TraceInput.open(file);
                Writer out = ResultStream.writer(console)) {
            if (!TraceInput.isLegacy(file) && input.hasMetadata()) {
                out.write(EtLines.line(input.metadata()));
                out.write('\n');
            }
            long count = 0;
            for (EtNode node = count < limit ? input.next() : null; node != null; ) {
                out.write(EtLines.line(node));
                out.write('\n');
                node = ++count < limit ? input.next() : null;
            }
        }
    }
}
