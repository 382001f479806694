package dev.stagesim.cli.inspect;

import dev.stagesim.cli.console.AlignedTable;
import dev.stagesim.cli.console.ExitCode;
import dev.stagesim.cli.console.Subcommand;
import dev.stagesim.io.chakra.TraceSet;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.report.Numbers;
import dev.stagesim.sim.trace.inspect.CriticalPath;
import dev.stagesim.sim.trace.inspect.TraceGraph;
import dev.stagesim.sim.trace.inspect.TraceStats;
import dev.stagesim.sim.trace.inspect.TraceStats.Totals;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

/** Prints metrics of traces: nodes by type, bytes, the critical path. */
@Command(
        name = "stats",
        description = "Print metrics of traces: nodes by type, bytes, dependencies, the critical path.",
        footer = {"", "Example: stage inspect stats trace.0.et"})
final class InspectStatsCommand extends Subcommand {
    private static final int SHOWN = 12;

    @Parameters(
            arity = "1..*",
            paramLabel = "TRACE",
            description = "Traces, directories of traces, or prefixes of traces <prefix>.<rank>.et.")
    private List<Path> words = List.of();

    @Option(names = "--json", description = "Print one JSON object per trace.")
    private boolean json;

    @Override
    public Integer call() throws IOException {
        Map<Path, List<Integer>> ranks = new LinkedHashMap<>();
        TraceSet.find(words).forEach((rank, file) -> ranks.computeIfAbsent(file, its -> new ArrayList<>())
                .add(rank));
        for (Map.Entry<Path, List<Integer>> each : ranks.entrySet()) {
            TraceGraph graph = TraceSet.graph(each.getKey(), true);
            TraceStats stats = TraceStats.of(graph);
            String shared = each.getValue().size() == 1 ? "" : ranges(each.getValue());
            if (json) {
                console().result(Json.compact(object(graph, stats, shared)));
            } else {
                print(graph, stats, shared);
            }
        }
        return ExitCode.DONE;
    }

    /** Formats numbers in their order, with consecutive numbers as one range. */
    private static String ranges(List<Integer> numbers) {
        StringBuilder text = new StringBuilder();
        for (int i = 0, last; i < numbers.size(); i = last + 1) {
            last = i;
            while (last + 1 < numbers.size() && numbers.get(last + 1) == numbers.get(last) + 1) {
                last++;
            }
            text.append(i == 0 ? "" : ", ").append(numbers.get(i));
            text.append(last == i ? "" : "-" + numbers.get(last));
        }
        return text.toString();
    }

    private void print(TraceGraph graph, TraceStats stats, String ranks) {
        console()
                .result(graph.source() + (ranks.isEmpty() ? "" : "  ranks " + ranks) + "  "
                        + Numbers.count(stats.nodes()) + " nodes, " + Numbers.count(stats.hostNodes())
                        + " of them on the host");
        AlignedTable table = new AlignedTable().row("type", "nodes", "duration_us", "bytes");
        stats.types().forEach((type, figures) -> row(table, type.name(), figures));
        stats.collectives().forEach((name, figures) -> row(table, "  " + name, figures));
        table.lines().forEach(console()::result);
        console()
                .result("dependencies  " + Numbers.count(stats.dataDeps()) + " for data, "
                        + Numbers.count(stats.ctrlDeps()) + " for control; " + Numbers.count(stats.roots())
                        + " nodes have none, on " + Numbers.count(stats.leaves()) + " none depends");
        if (stats.path().isEmpty()) {
            console().result("critical path  none: the dependencies have a cycle");
            return;
        }
        CriticalPath path = stats.path().get();
        console()
                .result("critical path  " + Numbers.count(path.micros()) + " us through "
                        + Numbers.count(path.nodes().length) + " nodes");
        longest(graph, path);
    }

    /** Prints the time on the critical path by node name. */
    private void longest(TraceGraph graph, CriticalPath path) {
        Map<String, Totals> byName = new TreeMap<>();
        for (int node : path.nodes()) {
            Totals before = byName.getOrDefault(graph.name(node), new Totals(0, 0, 0));
            byName.put(graph.name(node), new Totals(before.nodes() + 1, before.micros() + graph.duration(node), 0));
        }
        List<Map.Entry<String, Totals>> names = new ArrayList<>(byName.entrySet());
        names.removeIf(each -> each.getValue().micros() == 0);
        names.sort((a, b) -> Long.compare(b.getValue().micros(), a.getValue().micros()));
        AlignedTable table = new AlignedTable();
        for (Map.Entry<String, Totals> each : names.subList(0, Math.min(SHOWN, names.size()))) {
            table.row(
                    "  " + Numbers.count(each.getValue().micros()) + " us",
                    Numbers.count(each.getValue().nodes()) + " nodes",
                    each.getKey());
        }
        table.lines().forEach(console()::result);
    }

    private static void row(AlignedTable table, String name, Totals figures) {
        table.row(
                name, Numbers.count(figures.nodes()), Numbers.count(figures.micros()), Numbers.count(figures.bytes()));
    }

    private static JsonValue object(TraceGraph graph, TraceStats stats, String ranks) {
        Map<String, JsonValue> types = new TreeMap<>();
        stats.types().forEach((type, figures) -> types.put(type.name(), object(figures)));
        Map<String, JsonValue> collectives = new TreeMap<>();
        stats.collectives().forEach((name, figures) -> collectives.put(name, object(figures)));
        JsonObjectBuilder built = JsonValue.object()
                .put("file", graph.source())
                .put("nodes", stats.nodes())
                .put("host_nodes", stats.hostNodes())
                .put("types", JsonValue.of(types))
                .put("collectives", JsonValue.of(collectives))
                .put("data_deps", stats.dataDeps())
                .put("ctrl_deps", stats.ctrlDeps())
                .put("roots", stats.roots())
                .put("leaves", stats.leaves());
        if (!ranks.isEmpty()) {
            built.put("ranks", ranks);
        }
        stats.path()
                .ifPresent(path -> built.put(
                        "critical_path",
                        JsonValue.object()
                                .put("duration_us", path.micros())
                                .put("nodes", ids(graph, path.nodes()))
                                .build()));
        return built.build();
    }

    private static JsonValue ids(TraceGraph graph, int[] nodes) {
        List<JsonValue> ids = new ArrayList<>();
        for (int node : nodes) {
            ids.add(JsonValue.of(graph.id(node)));
        }
        return JsonValue.of(ids);
    }

    private static JsonValue object(Totals figures) {
        return JsonValue.object()
                .put("nodes", figures.nodes())
                .put("duration_us", figures.micros())
                .put("bytes", figures.bytes())
                .build();
    }
}
