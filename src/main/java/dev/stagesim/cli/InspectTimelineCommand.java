package dev.stagesim.cli;

import dev.stagesim.io.chakra.TraceSet;
import dev.stagesim.io.drawing.TimelineJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.trace.inspect.IssueLog;
import dev.stagesim.sim.trace.inspect.Topology;
import dev.stagesim.sim.trace.inspect.TraceGraph;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Writes when the nodes of traces run, for Perfetto. */
@Command(
        name = "timeline",
        description = {
            "Write a timeline for Perfetto (ui.perfetto.dev) or chrome://tracing.",
            "",
            "Nodes stand at their recorded starts, or, where a trace has none, at the earliest that its dependencies"
                    + " allow. With --frequency the file is a simulator's log of issues and callbacks instead.",
        },
        footer = {"", "Example: stage inspect timeline trace --output timeline.json"})
final class InspectTimelineCommand implements Callable<Integer> {
    private final Console console;

    @Parameters(
            arity = "1..*",
            paramLabel = "TRACE",
            description = "Traces, directories of traces, or what the names of traces <prefix>.<rank>.et begin with.")
    private List<Path> words = List.of();

    @Option(names = "--output", paramLabel = "FILE", description = "File to write; stdout by default.")
    private @Nullable Path output;

    @Option(
            names = "--frequency",
            paramLabel = "MHZ",
            description = "Read a log with lines issue|callback,npu=N,cycle=C,node=I,name=TEXT, of cycles at this"
                    + " frequency.")
    private @Nullable Integer frequency;

    @Option(names = "--npus", paramLabel = "N", description = "Processors in the log; any number by default.")
    private @Nullable Integer npus;

    @Mixin
    final CommonOptions common = new CommonOptions();

    InspectTimelineCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        if (frequency != null) {
            log(frequency);
            return ExitCode.DONE;
        }
        if (npus != null) {
            throw StageException.input(Problem.of("usage error", "--npus", "has no effect without --frequency"));
        }
        SortedMap<Integer, Path> traces = TraceSet.find(words);
        ResultStream.text(console, output, traces.values(), out -> traces(traces, out));
        return ExitCode.DONE;
    }

    private void traces(SortedMap<Integer, Path> traces, Writer out) throws IOException {
        TimelineJson json = TimelineJson.begin(out);
        for (Map.Entry<Integer, Path> each : traces.entrySet()) {
            TraceGraph graph = TraceSet.graph(each.getValue(), true);
            if (!Topology.of(graph).isComplete()) {
                console.say("stage: " + each.getValue() + ": the dependencies go round; nodes on such a way are at 0");
            }
            json.add(each.getKey(), graph);
        }
        json.end();
    }

    private void log(int megahertz) throws IOException {
        if (megahertz < 1) {
            throw StageException.input(
                    Problem.of("usage error", "--frequency " + megahertz, "expected a frequency in MHz, from 1"));
        }
        if (words.size() != 1) {
            throw StageException.input(Problem.of("usage error", "--frequency", "expected one log"));
        }
        Path file = words.get(0);
        List<IssueLog.Run> runs;
        try (BufferedReader lines = Files.newBufferedReader(file, StandardCharsets.UTF_8)) {
            runs = IssueLog.read(file.toString(), lines.lines().iterator(), npus == null ? Long.MAX_VALUE : npus);
        }
        ResultStream.text(console, output, words, out -> TimelineJson.write(runs, megahertz, out));
    }
}
