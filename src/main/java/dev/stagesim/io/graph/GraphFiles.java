package dev.stagesim.io.graph;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.sim.network.Fabric;
import dev.stagesim.sim.network.Fabrics;
import dev.stagesim.sim.network.LinkGraph;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reads graphs (YAML or JSON): {@code npus}, the names of the {@code switches}, and {@code links}, each {@code from} and
 * {@code to} an NPU, a switch, or a list of them, with {@code bandwidth} in GB/s and {@code latency} in ns, both ways
 * unless it is {@code one_way}. {@code gigabyte} is {@code decimal} unless it says {@code binary}; {@code dimensions}
 * gives the logical dimensions of collectives, by default one.
 */
public final class GraphFiles {
    private static final String CATEGORY = "config error";
    private static final List<String> KEYS = List.of("npus", "switches", "links", "gigabyte", "dimensions");
    private static final List<String> LINK_KEYS = List.of("from", "to", "bandwidth", "latency", "one_way", "tier");

    private final JsonAt file;
    private final List<Problem> problems = new ArrayList<>();
    private final Map<String, Integer> switches = new LinkedHashMap<>();
    private int npus;

    private GraphFiles(JsonAt file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @throws StageException (input) with all problems
     */
    public static Fabric read(Path path) throws IOException {
        return new GraphFiles(Yaml.read(path)).read();
    }

    private Fabric read() {
        file.allowOnly(KEYS);
        npus = whole(file.get("npus"), 2, 1 << 20);
        file.find("switches").ifPresent(list -> list.asStrings().forEach(this::named));
        double giga = giga();
        failIfAny();
        LinkGraph graph = new LinkGraph(npus, npus + switches.size());
        for (JsonAt link : file.get("links").items()) {
            take(() -> {
                add(link, giga, graph);
                return 0;
            });
        }
        List<Integer> dimensions = dimensions();
        failIfAny();
        int[] apart = Fabrics.unreachable(graph);
        if (apart.length > 0) {
            throw StageException.input(
                    Problem.of(CATEGORY, file.source(), "no way leads from NPU " + apart[0] + " to NPU " + apart[1]));
        }
        return Fabrics.graph(graph, dimensions);
    }

    private void named(String name) {
        if (name.matches("\\d+") || switches.put(name, npus + switches.size()) != null) {
            problems.add(file.get("switches")
                    .problem("'" + name + "' is no name of a switch of its own: a number, or there twice"));
        }
    }

    private double giga() {
        String word = file.find("gigabyte").map(JsonAt::asString).orElse("decimal");
        if (!word.equals("decimal") && !word.equals("binary")) {
            problems.add(file.get("gigabyte").problem("found '" + word + "'").options(List.of("decimal", "binary")));
        }
        return word.equals("binary") ? (1L << 30) / 1e9 : 1;
    }

    private List<Integer> dimensions() {
        if (file.find("dimensions").isEmpty()) {
            return List.of(npus);
        }
        JsonAt at = file.get("dimensions");
        List<Integer> sizes = new ArrayList<>();
        long product = 1;
        for (JsonAt size : at.items()) {
            sizes.add(take(() -> whole(size, 1, npus), 1));
            product *= sizes.get(sizes.size() - 1);
        }
        if (product != npus) {
            problems.add(at.problem("the dimensions hold " + product + " NPUs, expected " + npus));
        }
        return sizes;
    }

    private void add(JsonAt link, double giga, LinkGraph graph) {
        link.allowOnly(LINK_KEYS);
        double bandwidth = number(link.get("bandwidth"), true) * giga;
        double latency = number(link.get("latency"), false);
        boolean isOneWay = link.find("one_way").map(JsonAt::asBool).orElse(false);
        int tier = link.find("tier").map(at -> whole(at, 0, 99)).orElse(0);
        for (int from : ends(link.get("from"))) {
            for (int to : ends(link.get("to"))) {
                if (from == to) {
                    throw StageException.input(link.problem("a link from a device to itself"));
                }
                graph.add(from, to, tier, bandwidth, latency);
                if (!isOneWay) {
                    graph.add(to, from, tier, bandwidth, latency);
                }
            }
        }
    }

    private List<Integer> ends(JsonAt at) {
        if (at.value() instanceof JsonValue.Arr) {
            return at.items().stream().map(this::end).toList();
        }
        return List.of(end(at));
    }

    private int end(JsonAt at) {
        if (at.value() instanceof JsonValue.Int) {
            return whole(at, 0, npus - 1);
        }
        String name = at.asString();
        Integer device = switches.get(name);
        if (device == null) {
            throw StageException.input(at.problem("no switch is named '" + name + "'")
                    .options(List.copyOf(switches.keySet()))
                    .didYouMean(Suggest.near(name, switches.keySet())));
        }
        return device;
    }

    private static int whole(JsonAt at, int least, int most) {
        if (at.value() instanceof JsonValue.Int number && number.value() >= least && number.value() <= most) {
            return (int) number.value();
        }
        throw StageException.input(at.problem(
                "found " + Json.describe(at.value()) + ", expected a whole number from " + least + " to " + most));
    }

    private static double number(JsonAt at, boolean above) {
        double number = at.asDouble();
        if (!Double.isFinite(number) || number < 0 || (above && number == 0)) {
            throw StageException.input(
                    at.problem("found " + number + ", expected a number " + (above ? "above 0" : "of at least 0")));
        }
        return number;
    }

    /** Keeps what is wrong for later. */
    private void take(Supplier<Integer> step) {
        take(step, 0);
    }

    private int take(Supplier<Integer> step, int otherwise) {
        try {
            return step.get();
        } catch (StageException e) {
            problems.addAll(e.problems());
            return otherwise;
        }
    }

    private void failIfAny() {
        if (!problems.isEmpty()) {
            throw StageException.input(problems);
        }
    }
}
