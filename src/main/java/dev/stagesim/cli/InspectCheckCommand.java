package dev.stagesim.cli;

import dev.stagesim.io.astra.GroupFiles;
import dev.stagesim.io.chakra.TraceSet;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.trace.inspect.Finding;
import dev.stagesim.sim.trace.inspect.SetChecks;
import dev.stagesim.sim.trace.inspect.TraceChecks;
import dev.stagesim.sim.trace.inspect.TraceGraph;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SortedMap;
import java.util.concurrent.Callable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Checks what has to hold for traces to run to their end. */
@Command(
        name = "check",
        description = {
            "Check traces: metadata, unique ids, dangling and circular dependencies, types, attributes of"
                    + " communications; and of several traces, that ranks count from 0, that every send has its receive and that all processors"
                    + " of a group, as comm_groups.json beside the traces lists them, do the same collectives.",
            "",
            "Exit code 3 says that a check does not hold.",
        },
        footer = {"", "Example: stage inspect check tmp/workload/workload-0123456789"})
final class InspectCheckCommand implements Callable<Integer> {
    private static final String GROUPS = "comm_groups.json";

    private final Console console;

    @Parameters(
            arity = "1..*",
            paramLabel = "TRACE",
            description = "Traces, directories of traces, or what the names of traces <prefix>.<rank>.et begin with.")
    private List<Path> words = List.of();

    @Option(names = "--json", description = "Print one JSON object.")
    private boolean json;

    @Option(
            names = "--most",
            paramLabel = "N",
            description = "List the first N findings of each check and trace; 20 by default.")
    private int most = 20;

    @Option(names = "--alone", description = "Check each trace by itself only.")
    private boolean alone;

    @Mixin
    final CommonOptions common = new CommonOptions();

    InspectCheckCommand(Console console) {
        this.console = console;
    }

    @Override
    public Integer call() throws IOException {
        if (most < 0) {
            throw StageException.input(Problem.of("usage error", "--most " + most, "expected a number from 0"));
        }
        SortedMap<Integer, Path> traces = TraceSet.find(words);
        boolean isSet = traces.size() > 1 && !alone;
        SetChecks set = new SetChecks(most, isSet ? groups(traces) : Map.of());
        List<Finding> findings = new ArrayList<>();
        long nodes = 0;
        for (Map.Entry<Integer, Path> each : traces.entrySet()) {
            TraceGraph graph = TraceSet.graph(each.getValue(), true);
            nodes += graph.size();
            findings.addAll(TraceChecks.check(graph, most));
            set.add(each.getKey(), graph);
        }
        if (isSet) {
            findings.addAll(set.findings());
        }
        if (json) {
            console.result(Json.compact(object(traces.size(), nodes, isSet, findings)));
        } else {
            findings.forEach(
                    finding -> console.result(finding.rule().label() + "  " + finding.where() + ": " + finding.what()));
        }
        String what = traces.size() + " traces with " + nodes + " nodes";
        if (!findings.isEmpty()) {
            throw StageException.check(
                    Problem.of("check", words.get(0).toString(), findings.size() + " findings in " + what));
        }
        console.say(what + ": every check holds" + (isSet ? "" : "; transfers and collectives need all traces"));
        return ExitCode.DONE;
    }

    /** Groups of the file beside the first trace; none where there is no such file. */
    private static Map<Integer, List<Integer>> groups(SortedMap<Integer, Path> traces) throws IOException {
        Path file = traces.values().iterator().next().resolveSibling(GROUPS);
        return Files.isRegularFile(file)
                ? GroupFiles.read(file, Integer.MAX_VALUE).groups()
                : Map.of();
    }

    private static JsonValue object(int traces, long nodes, boolean isSet, List<Finding> findings) {
        List<JsonValue> list = new ArrayList<>();
        for (Finding finding : findings) {
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
