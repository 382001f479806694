package dev.stagesim.io.astra;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.Problem;
import dev.stagesim.model.ShortestDouble;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Suggest;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.network.NetworkDimension;
import dev.stagesim.sim.network.NetworkSpec;
import dev.stagesim.sim.network.NetworkSpec.Contention;
import dev.stagesim.sim.network.Topology;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Network files (YAML): a list of topologies, and the size, bandwidth and latency of each. */
public final class NetworkFiles {
    private static final List<String> KEYS = List.of("topology", "npus_count", "bandwidth", "latency");
    private static final Map<String, Topology> TOPOLOGIES = new LinkedHashMap<>();

    static {
        TOPOLOGIES.put("Ring", Topology.RING);
        TOPOLOGIES.put("FullyConnected", Topology.FULLY_CONNECTED);
        TOPOLOGIES.put("Switch", Topology.SWITCH);
    }

    private final LocatedJson file;
    private final List<Problem> problems = new ArrayList<>();

    private NetworkFiles(LocatedJson file) {
        this.file = file;
    }

    /**
     * Reads a file.
     *
     * @param contention whether messages share links; the file does not contain it
     */
    public static Reading<NetworkSpec> read(Path path, Contention contention, AstraCompat compat) throws IOException {
        LocatedJson file = Yaml.read(path);
        file.object();
        NetworkFiles reader = new NetworkFiles(file);
        List<String> warnings = new ArrayList<>();
        for (String key : file.object().members().keySet()) {
            if (!KEYS.contains(key)) {
                if (compat == AstraCompat.NONE) {
                    reader.problems.add(Problem.config(file.source() + "#/" + key, "unknown key '" + key + "'")
                            .didYouMean(Suggest.near(key, KEYS)));
                } else {
                    warnings.add(file.source() + ": " + key + " is unknown and has no effect");
                }
            }
        }
        return new Reading<>(reader.spec(contention), warnings);
    }

    private NetworkSpec spec(Contention contention) {
        List<Topology> topologies = list("topology", "the name of a topology", NetworkFiles::topology);
        List<Integer> npus = list("npus_count", "a whole number above 1", NetworkFiles::npus);
        List<Double> bandwidths = list("bandwidth", "a number above 0 (GB/s of 2^30 bytes)", value -> {
            Double number = number(value);
            return number != null && number > 0 && Double.isFinite(number) ? number : null;
        });
        List<Double> latencies = list("latency", "a number of at least 0 (ns)", value -> {
            Double number = number(value);
            return number != null && number >= 0 && Double.isFinite(number) ? number : null;
        });
        for (String key : KEYS) {
            sameLength(key);
        }
        StageException.refuse(problems);
        int dims = topologies.size();
        List<NetworkDimension> dimensions = new ArrayList<>();
        for (int d = 0; d < dims; d++) {
            dimensions.add(new NetworkDimension(topologies.get(d), npus.get(d), bandwidths.get(d), latencies.get(d)));
        }
        NetworkSpec spec = new NetworkSpec(dimensions, contention);
        try {
            spec.npus();
        } catch (ArithmeticException e) {
            throw StageException.input(
                    Problem.config(file.source() + "#/npus_count", "more than 2^31 - 1 NPUs in all"), e);
        }
        return spec;
    }

    private void sameLength(String key) {
        int dims = length("topology");
        int length = length(key);
        if (dims > 0 && length > 0 && length != dims) {
            problems.add(Problem.config(
                    file.source() + "#/" + key,
                    "found " + length + " entries, expected one for each of the " + dims + " topologies"));
        }
    }

    /** Number of entries of a list, or 0 if absent. */
    private int length(String key) {
        boolean isList = file.has(key) && file.get(key).value() instanceof JsonValue.Arr;
        return isList ? file.get(key).array().items().size() : 0;
    }

    private <T> List<T> list(String key, String expected, Function<JsonValue, @Nullable T> how) {
        List<T> list = new ArrayList<>();
        if (!file.has(key)) {
            problems.add(Problem.config(
                            file.source(), key + " is missing, expected a list: " + expected + " for each dimension")
                    .didYouMean(Suggest.near(key, file.object().members().keySet())));
            return list;
        }
        LocatedJson at = file.get(key);
        if (!at.isArray() || at.array().items().isEmpty()) {
            problems.add(Problem.config(
                    at.where(),
                    "found " + Json.describe(at.value()) + ", expected a list: " + expected + " for each dimension"));
            return list;
        }
        for (LocatedJson item : at.items()) {
            T value = how.apply(item.value());
            if (value == null) {
                refuse(item, key, expected);
            } else {
                list.add(value);
            }
        }
        return list;
    }

    private void refuse(LocatedJson item, String key, String expected) {
        boolean isName = key.equals("topology");
        String what = "found " + Json.describe(item.value()) + ", expected " + expected;
        Problem problem = Problem.config(item.where(), what);
        if (isName) {
            problem = problem.options(List.copyOf(TOPOLOGIES.keySet()));
            if (item.value() instanceof JsonValue.Str name) {
                problem = problem.didYouMean(Suggest.near(name.value(), TOPOLOGIES.keySet()));
            }
        }
        problems.add(problem);
    }

    private static @Nullable Topology topology(JsonValue value) {
        return value instanceof JsonValue.Str name ? TOPOLOGIES.get(name.value()) : null;
    }

    private static @Nullable Integer npus(JsonValue value) {
        Double number = value instanceof JsonValue.Real ? null : number(value);
        if (number == null || number != Math.rint(number) || number <= 1 || number > Integer.MAX_VALUE) {
            return null;
        }
        return number.intValue();
    }

    /** A number, quoted or not. */
    private static @Nullable Double number(JsonValue value) {
        if (value instanceof JsonValue.Int whole) {
            return (double) whole.value();
        }
        if (value instanceof JsonValue.Real real) {
            return real.value();
        }
        if (value instanceof JsonValue.Str text && text.value().strip().matches("[-+]?[0-9.]+([eE][-+]?\\d+)?")) {
            try {
                return Double.valueOf(text.value().strip());
            } catch (NumberFormatException e) {
                return null;
            }
        }
        return null;
    }

    static String name(Topology topology) {
        return TOPOLOGIES.entrySet().stream()
                .filter(entry -> entry.getValue() == topology)
                .map(Map.Entry::getKey)
                .findFirst()
                .orElseThrow(() -> new IllegalStateException(topology + " has no name in network files"));
    }

    public static String text(NetworkSpec spec) {
        return row("topology", spec, d -> name(d.topology()))
                + row("npus_count", spec, d -> Integer.toString(d.npus()))
                + row("bandwidth", spec, d -> ShortestDouble.of(d.bandwidth()))
                + row("latency", spec, d -> ShortestDouble.of(d.latency()));
    }

    private static String row(String key, NetworkSpec spec, Function<NetworkDimension, String> cell) {
        return spec.dimensions().stream().map(cell).collect(Collectors.joining(", ", key + ": [ ", " ]\n"));
    }
}
