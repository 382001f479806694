package dev.stagesim.cli.inspect;

import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.ResultStream;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.io.chakra.TraceSet;
import dev.stagesim.io.drawing.DotGraph;
import dev.stagesim.io.drawing.GraphMl;
import dev.stagesim.io.drawing.SvgGraph;
import dev.stagesim.io.drawing.TimelineJson;
import dev.stagesim.io.gzip.InputFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Count;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.trace.inspect.GraphView;
import dev.stagesim.sim.trace.inspect.IssueLog;
import dev.stagesim.sim.trace.inspect.SetChecks;
import dev.stagesim.sim.trace.inspect.TopologicalOrder;
import dev.stagesim.sim.trace.inspect.TraceChecks;
import dev.stagesim.sim.trace.inspect.TraceFinding;
import dev.stagesim.sim.trace.inspect.TraceGraph;
import dev.stagesim.traces.GroupFiles;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.Writer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.SortedMap;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParameterException;
import picocli.CommandLine.Parameters;

/** The {@code inspect} group: examines execution traces. */
@Command(
        name = "inspect",
        description = {
            "Inspect Chakra execution traces: .et and older .eg files, optionally compressed with gzip.",
            "",
            "With only a file, print its messages as JSON lines, like show.",
        },
        subcommands = {
            InspectShowCommand.class,
            InspectStatsCommand.class,
            InspectCommands.InspectGraphCommand.class,
            InspectCommands.InspectTimelineCommand.class,
            InspectDiffCommand.class,
            InspectCommands.InspectCheckCommand.class
        })
public final class InspectCommands extends Subcommand {
    @Parameters(arity = "0..1", paramLabel = "FILE", description = "Trace to show.")
    private @Nullable Path file;

    @Override
    public Integer call() throws IOException {
        if (file == null) {
            throw new ParameterException(
                    spec.commandLine(), "expected a trace, or a command: show, stats, graph, timeline, diff or check");
        }
        return InspectShowCommand.show(console(), file, false, Long.MAX_VALUE);
    }

    /** Writes the execution times of trace nodes for Perfetto. */
    @Command(
            name = "timeline",
            description = {
                "Write a timeline for Perfetto (ui.perfetto.dev) or chrome://tracing.",
                "",
                "Nodes start at their recorded times. In a trace without times, they start as early as the"
                        + " dependencies allow. With --frequency, a simulator log of issues and callbacks is read"
                        + " instead.",
            },
            footer = {"", "Example: stage inspect timeline trace --output timeline.json"})
    static final class InspectTimelineCommand extends Subcommand {
        @Parameters(
                arity = "1..*",
                paramLabel = "TRACE",
                description = "Traces, directories of traces, or prefixes of traces named <prefix>.<rank>.et.")
        private List<Path> words = List.of();

        @Option(names = "--output", paramLabel = "FILE", description = "File to write; stdout by default.")
        private @Nullable Path output;

        @Option(
                names = "--frequency",
                paramLabel = "MHZ",
                description = "Read a log with lines issue|callback,npu=N,cycle=C,node=I,name=TEXT; cycles have this"
                        + " frequency.")
        private @Nullable Integer frequency;

        @Option(names = "--npus", paramLabel = "N", description = "Processors in the log; any number by default.")
        private @Nullable Integer npus;

        @Override
        public Integer call() throws IOException {
            if (frequency != null) {
                log(frequency);
                return ExitCode.DONE;
            }
            if (npus != null) {
                throw StageException.input(Problem.usage("--npus", "has no effect without --frequency"));
            }
            SortedMap<Integer, Path> traces = TraceSet.find(words);
            ResultStream.text(console(), output, traces.values(), out -> traces(traces, out));
            return ExitCode.DONE;
        }

        private void traces(SortedMap<Integer, Path> traces, Writer out) throws IOException {
            TimelineJson json = TimelineJson.begin(out);
            for (Map.Entry<Integer, Path> each : traces.entrySet()) {
                TraceGraph graph = TraceSet.graph(each.getValue(), true);
                if (!TopologicalOrder.of(graph).isComplete()) {
                    console().info("stage: " + each.getValue() + ": the dependencies have a cycle; its nodes are at 0");
                }
                json.add(each.getKey(), graph);
            }
            json.end();
        }

        private void log(int megahertz) throws IOException {
            if (megahertz < 1) {
                throw StageException.input(
                        Problem.usage("--frequency " + megahertz, "expected a frequency in MHz, from 1"));
            }
            if (words.size() != 1) {
                throw StageException.input(Problem.usage("--frequency", "expected one log"));
            }
            Path file = words.get(0);
            List<IssueLog.Run> runs;
            try (BufferedReader lines = InputFile.lines(file)) {
                runs = IssueLog.read(file.toString(), lines.lines().iterator(), npus == null ? Long.MAX_VALUE : npus);
            }
            ResultStream.text(console(), output, words, out -> TimelineJson.write(runs, megahertz, out));
        }
    }

    /** Writes a trace's dependencies as a graph. */
    @Command(
            name = "graph",
            description = "Write the dependencies of a trace as a graph: DOT, GraphML, or SVG for small graphs.",
            footer = {"", "Example: stage inspect graph trace.0.et --output trace.svg"})
    static final class InspectGraphCommand extends Subcommand {
        /** The file formats. */
        enum Format {
            dot,
            graphml,
            svg
        }

        private static final int MAX_LINES = 1000;

        @Parameters(paramLabel = "FILE", description = "Trace to draw.")
        private Path file = Path.of("");

        @Option(
                names = "--format",
                paramLabel = "FORMAT",
                description = "${COMPLETION-CANDIDATES}; default: the extension of the output file, or dot.")
        private @Nullable Format format;

        @Option(names = "--output", paramLabel = "FILE", description = "File to write; stdout by default.")
        private @Nullable Path output;

        @Option(
                names = "--most",
                paramLabel = "N",
                description = "Maximum number of nodes to draw as svg; 1000 by default.")
        private @Nullable Integer max;

        @Override
        public Integer call() throws IOException {
            Format chosen = chosen();
            boolean isDrawn = chosen == Format.svg;
            if (max != null && !isDrawn) {
                throw StageException.input(Problem.usage("--most", "has no effect on " + chosen));
            }
            int limit = max == null ? MAX_LINES : max;
            GraphView graph = GraphView.of(TraceSet.graph(file, true));
            if (isDrawn && graph.size() > limit) {
                throw StageException.input(Problem.of(
                                "graph error", file.toString(), graph.size() + " nodes are more than --most " + limit)
                        .hint("--format graphml or dot has no such limit"));
            }
            ResultStream.text(console(), output, List.of(file), out -> {
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
                            Problem.usage("--output " + output, "the file extension does not select a format")
                                    .options(known)));
        }
    }

    /** Checks the conditions under which traces run to completion. */
    @Command(
            name = "check",
            description = {
                "Check traces: metadata, unique ids, dangling and circular dependencies, types, attributes of"
                        + " communications. Several traces are also checked together: ranks must start at 0, every send"
                        + " needs a receive, and all processors of a group (comm_groups.json in the same directory)"
                        + " must execute the same collectives.",
                "",
                "Exit code 3 if a check fails.",
            },
            footer = {"", "Example: stage inspect check tmp/workload/workload-0123456789"})
    static final class InspectCheckCommand extends Subcommand {
        private static final String GROUPS = "comm_groups.json";

        @Parameters(
                arity = "1..*",
                paramLabel = "TRACE",
                description = "Traces, directories of traces, or prefixes of traces named <prefix>.<rank>.et.")
        private List<Path> words = List.of();

        @Option(names = "--json", description = "Print one JSON object.")
        private boolean json;

        @Option(
                names = "--most",
                paramLabel = "N",
                description = "List the first N findings of each check and trace; 20 by default.")
        private int max = 20;

        @Option(names = "--alone", description = "Check each trace separately.")
        private boolean alone;

        @Override
        public Integer call() throws IOException {
            if (max < 0) {
                throw StageException.input(Problem.usage("--most " + max, "expected a number from 0"));
            }
            SortedMap<Integer, Path> traces = TraceSet.find(words);
            boolean isSet = traces.size() > 1 && !alone;
            SetChecks set = new SetChecks(max, isSet ? groups(traces) : Map.of());
            List<TraceFinding> findings = new ArrayList<>();
            long nodes = 0;
            for (Map.Entry<Integer, Path> each : traces.entrySet()) {
                TraceGraph graph = TraceSet.graph(each.getValue(), true);
                nodes += graph.size();
                findings.addAll(TraceChecks.check(graph, max));
                set.add(each.getKey(), graph);
            }
            if (isSet) {
                findings.addAll(set.findings());
            }
            if (json) {
                console().result(Json.compact(object(traces.size(), nodes, isSet, findings)));
            } else {
                findings.forEach(finding ->
                        console().result(finding.rule().label() + "  " + finding.where() + ": " + finding.what()));
            }
            String what = Count.of(traces.size(), "trace") + " with " + Count.of(nodes, "node");
            if (!findings.isEmpty()) {
                throw StageException.check(Problem.of(
                        "check", words.get(0).toString(), Count.of(findings.size(), "finding") + " in " + what));
            }
            console()
                    .info(what + ": every check passes" + (isSet ? "" : "; transfers and collectives need all traces"));
            return ExitCode.DONE;
        }

        /** Returns the groups of the file next to the first trace; empty if there is no such file. */
        private static Map<Integer, List<Integer>> groups(SortedMap<Integer, Path> traces) throws IOException {
            Path file = traces.values().iterator().next().resolveSibling(GROUPS);
            return Files.isRegularFile(file)
                    ? GroupFiles.read(file, Integer.MAX_VALUE).groups()
                    : Map.of();
        }

        private static JsonValue object(int traces, long nodes, boolean isSet, List<TraceFinding> findings) {
            List<JsonValue> list = new ArrayList<>();
            for (TraceFinding finding : findings) {
                list.add(JsonValue.object()
                        .put("rule", finding.rule().label())
                        .put("where", finding.where())
                        .put("what", finding.what())
                        .build());
            }
            return JsonValue.object()
                    .put("traces", traces)
                    .put("nodes", nodes)
                    .put("as_a_set", isSet)
                    .put("findings", JsonValue.of(list))
                    .build();
        }
    }
}
