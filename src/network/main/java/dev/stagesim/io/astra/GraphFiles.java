package dev.stagesim.io.astra;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.sim.network.Fabric;
import dev.stagesim.sim.network.Fabrics;
import dev.stagesim.sim.network.LinkGraph;
import dev.stagesim.sim.network.NetworkDimension;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * Reads network graphs (YAML or JSON). Keys: {@code npus}; {@code switches}, a list of names; {@code links}; {@code
 * gigabyte}, {@code decimal} (default) or {@code binary}; {@code dimensions}, the logical dimensions of collectives
 * (default: one).
 *
 * <p>A link has {@code from} and {@code to}, each an NPU, a switch or a list; {@code bandwidth} in GB/s; {@code
 * latency} in ns. Links are bidirectional unless {@code one_way} is set.
 */
public final class GraphFiles {
    private static final List<String> KEYS = List.of("npus", "switches", "links", "gigabyte", "dimensions");
    private static final List<String> LINK_KEYS = List.of("from", "to", "bandwidth", "latency", "one_way", "tier");

    private static final int MAX_NPUS = 1 << 20;
    private static final int MAX_TIERS = 99;

    /** Links with equal parameters, from every device in {@code from} to every device in {@code to}. */
    private record Link(
            List<Integer> from, List<Integer> to, double bandwidth, double latency, boolean isOneWay, int tier) {
        private static final Link NONE = new Link(List.of(), List.of(), 1, 0, true, 0);

        void addTo(LinkGraph graph, double giga) {
            for (int source : from) {
                for (int destination : to) {
                    graph.add(source, destination, tier, bandwidth * giga, latency);
                    if (!isOneWay) {
                        graph.add(destination, source, tier, bandwidth * giga, latency);
                    }
                }
            }
        }
    }

    private final LocatedJson file;
    private final List<Problem> problems = new ArrayList<>();
    private final Map<String, Integer> switches = new LinkedHashMap<>();
    private int npus;

    private GraphFiles(LocatedJson file) {
        this.file = file;
    }

    public static Fabric read(Path path) throws IOException {
        return new GraphFiles(Yaml.read(path)).read();
    }

    private Fabric read() {
        file.object();
        check(() -> file.allowOnly(KEYS));
        npus = take(() -> whole(file.get("npus"), 2, MAX_NPUS), 0);
        check(() -> file.find("switches").ifPresent(list -> list.asStrings().forEach(this::named)));
        double giga = take(this::giga, 1.0);
        List<Link> links = take(this::links, List.of());
        List<Integer> dimensions = dimensions();
        StageException.refuse(problems);
        LinkGraph graph = new LinkGraph(npus, npus + switches.size());
        links.forEach(link -> link.addTo(graph, giga));
        int[] unreachable = Fabrics.unreachable(graph);
        if (unreachable.length > 0) {
            throw StageException.input(Problem.config(
                    file.source(), "there is no path from NPU " + unreachable[0] + " to NPU " + unreachable[1]));
        }
        return Fabrics.graph(graph, dimensions);
    }

    private void named(String name) {
        if (name.matches("\\d+") || switches.put(name, npus + switches.size()) != null) {
            problems.add(file.get("switches")
                    .problem("'" + name + "' is not a valid switch name: it is a number or repeated"));
        }
    }

    private double giga() {
        String word = file.text("gigabyte", "decimal");
        if (!word.equals("decimal") && !word.equals("binary")) {
            throw StageException.input(
                    file.get("gigabyte").problem("found '" + word + "'").options(List.of("decimal", "binary")));
        }
        return word.equals("binary") ? (1L << 30) / 1e9 : 1;
    }

    private List<Integer> dimensions() {
        if (file.find("dimensions").isEmpty()) {
            return List.of(npus);
        }
        LocatedJson at = file.get("dimensions");
        int before = problems.size();
        List<Integer> sizes = take(
                () -> at.items().stream()
                        .map(size -> take(() -> whole(size, 1, MAX_NPUS), 1))
                        .toList(),
                List.of());
        long product = sizes.stream().mapToLong(Integer::longValue).reduce(1, (a, b) -> Math.min(a * b, MAX_NPUS + 1L));
        if (problems.size() == before && npus > 0 && product != npus) {
            problems.add(at.problem("the dimensions have " + product + " NPUs, expected " + npus));
        }
        return sizes;
    }

    private List<Link> links() {
        return file.get("links").items().stream()
                .map(at -> take(() -> link(at), Link.NONE))
                .toList();
    }

    private Link link(LocatedJson at) {
        at.object();
        check(() -> at.allowOnly(LINK_KEYS));
        double bandwidth = take(() -> number(at.get("bandwidth"), true), 1.0);
        double latency = take(() -> number(at.get("latency"), false), 0.0);
        String wrong = NetworkDimension.implausible(bandwidth, latency);
        if (!wrong.isEmpty()) {
            problems.add(at.problem(wrong));
        }
        boolean isOneWay = take(() -> at.flag("one_way"), false);
        int tier = take(
                () -> at.find("tier").map(value -> whole(value, 0, MAX_TIERS)).orElse(0), 0);
        int before = problems.size();
        List<Integer> from = take(() -> ends(at.get("from")), List.of());
        List<Integer> to = take(() -> ends(at.get("to")), List.of());
        if (problems.size() == before && from.stream().anyMatch(to::contains)) {
            problems.add(at.problem("a link from a device to itself"));
        }
        return new Link(from, to, bandwidth, latency, isOneWay, tier);
    }

    private List<Integer> ends(LocatedJson at) {
        if (at.isArray()) {
            return at.items().stream().map(item -> take(() -> end(item), 0)).toList();
        }
        return List.of(end(at));
    }

    private int end(LocatedJson at) {
        if (at.value() instanceof JsonValue.Int) {
            // If the number of NPUs is invalid, ranks cannot be checked.
            return whole(at, 0, npus > 0 ? npus - 1 : MAX_NPUS);
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

    private static int whole(LocatedJson at, int min, int max) {
        if (at.value() instanceof JsonValue.Int number && number.value() >= min && number.value() <= max) {
            return (int) number.value();
        }
        throw StageException.input(
                at.problem("found " + Json.describe(at.value()) + ", expected an integer from " + min + " to " + max));
    }

    private static double number(LocatedJson at, boolean above) {
        double number = at.asDouble();
        if (!Double.isFinite(number) || number < 0 || (above && number == 0)) {
            throw StageException.input(
                    at.problem("found " + number + ", expected a number " + (above ? "above 0" : "of at least 0")));
        }
        return number;
    }

    /** Records the error of a step; reading continues. */
    private void check(Runnable step) {
        take(
                () -> {
                    step.run();
                    return true;
                },
                false);
    }

    private <T> T take(Supplier<T> step, T otherwise) {
        try {
            return step.get();
        } catch (StageException e) {
            problems.addAll(e.problems());
            return otherwise;
        }
    }
}
