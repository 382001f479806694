package dev.stagesim.cli;

import dev.stagesim.io.chakra.EtJson;
import dev.stagesim.io.chakra.EtLines;
import dev.stagesim.io.chakra.EtReader;
import dev.stagesim.io.chakra.TraceInput;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtNode;
import java.io.IOException;
import java.io.OutputStream;
import java.io.Writer;
import java.nio.file.Path;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints the messages of a trace as JSON. */
@Command(
        name = "show",
        description = "Print a trace as JSON lines: the metadata first, then a node a line.",
        footer = {"", "Example: stage inspect show trace.0.et | head -3"})
final class InspectShowCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(paramLabel = "FILE", description = "Trace to show.")
    private Path file = Path.of("");

    @Option(
            names = "--protobuf",
            description = "Print protobuf's JSON form instead, objects without anything between them.")
    private boolean protobuf;

    @Option(names = "--limit", paramLabel = "N", description = "Print the first N nodes only.")
    private long limit = Long.MAX_VALUE;

    @Mixin
    final CommonOptions common = new CommonOptions();

    InspectShowCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        return show(console, file, protobuf, limit);
    }

    static int show(Console console, Path file, boolean isProtobuf, long limit) throws IOException {
        if (limit < 0) {
            throw StageException.input(Problem.of("usage error", "--limit " + limit, "expected a number from 0"));
        }
        if (!isProtobuf) {
            lines(console, file, limit);
            return ExitCode.DONE;
        }
        if (limit != Long.MAX_VALUE) {
            throw StageException.input(Problem.of("usage error", "--limit", "cannot be combined with --protobuf"));
        }
        if (TraceInput.isLegacy(file)) {
            throw StageException.input(
                    Problem.of("usage error", "--protobuf", "has no form for traces of schema 0.0.1"));
        }
        try (EtReader trace = EtReader.open(file);
                OutputStream out = ResultStream.open(console, null)) {
            EtJson.write(trace, out);
        }
        return ExitCode.DONE;
    }

    private static void lines(Console console, Path file, long limit) throws IOException {
        try (TraceInput input = TraceInput.open(file);
                Writer out = ResultStream.writer(console, null)) {
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
