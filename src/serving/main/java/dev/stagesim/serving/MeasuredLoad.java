package dev.stagesim.serving;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** The load of a measurement without a list of requests: number of requests, mean lengths and rate. */
public final class MeasuredLoad {
    private static final String MEASUREMENT = "measurement.json";

    private MeasuredLoad() {}

    /** Returns the number of clients if a run measured a closed loop, else empty. */
    public static Optional<Integer> closedLoop(Path run) throws IOException {
        Path file = run.resolve(MEASUREMENT);
        return Files.exists(file)
                ? Json.read(file).find("workload", "closed_loop").map(at -> Math.toIntExact(at.asLong()))
                : Optional.empty();
    }

    /** Returns effects that a simulation of a run's requests excludes. */
    public static List<String> notModelled(Path run) throws IOException {
        return closedLoop(run).stream()
                .map(clients -> "feedback of latency on the load: the measurement had a closed loop of " + clients
                        + " requests, and the simulation uses the measured send times")
                .toList();
    }

    /**
     * Returns how the KV cache of the measured server differs from that of a simulation, with the override that removes the
     * difference.
     *
     * @param blocksKey key of the scheduler for the number of blocks
     */
    public static List<String> cacheDifferences(Path run, int blockSize, long blocks, String blocksKey)
            throws IOException {
        Path file = run.resolve(MEASUREMENT);
        if (!Files.exists(file)) {
            return List.of();
        }
        LocatedJson measurement = Json.read(file);
        List<String> differences = new ArrayList<>();
        difference(measurement, "block_size", blockSize, "scheduler.block_size").ifPresent(differences::add);
        difference(measurement, "num_gpu_blocks", blocks, "scheduler." + blocksKey)
                .ifPresent(differences::add);
        return differences;
    }

    /**
     * Returns that the measured engine is not the simulated one; empty if they are the same or the measurement names none.
     *
     * @param simulated name of the simulated engine
     */
    public static Optional<String> otherEngine(Path run, String simulated) throws IOException {
        Path file = run.resolve(MEASUREMENT);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        Optional<String> measured = Json.read(file)
                .find("engine", "name")
                .filter(name -> name.value() instanceof JsonValue.Str)
                .map(LocatedJson::asString);
        Optional<String> family = measured.flatMap(EngineFamily::of);
        return family.isEmpty() || family.equals(EngineFamily.of(simulated))
                ? Optional.empty()
                : Optional.of("the measured engine is " + measured.get() + ", the simulated one " + simulated
                        + ": the fit also absorbs the difference between the engines; set engine=" + family.get());
    }

    private static Optional<String> difference(LocatedJson measurement, String name, long simulated, String key) {
        return Stream.of("settings", "engine")
                .flatMap(section -> measurement.find(section, name).stream())
                .map(LocatedJson::value)
                .map(value -> value instanceof JsonValue.Str text ? text.value() : Json.compact(value))
                .filter(text -> text.matches("[1-9]\\d{0,17}") && Long.parseLong(text) != simulated)
                .findFirst()
                .map(text -> "the measured server has " + name + "=" + text + ", the simulation " + simulated + ": set "
                        + key + "=" + text);
    }

    /** Returns a command that generates the load; empty if the measurement does not describe it. */
    static Optional<String> command(Path run) throws IOException {
        Path file = run.resolve(MEASUREMENT);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        LocatedJson measurement = Json.read(file);
        return measurement
                .find("workload")
                .filter(at -> at.isObject() && at.has("prompt_tokens"))
                .map(at -> "the same command with workload.dir=$(./stage workload workload.num_requests="
                        + at.get("requests").asLong() + " workload.lengths.kind=fixed workload.lengths.prefill_tokens="
                        + tokens(at, "prompt_tokens") + " workload.lengths.decode_tokens="
                        + tokens(at, "output_tokens") + " " + arrivals(measurement)
                        + "), which gives all requests the measured mean lengths");
    }

    private static long tokens(LocatedJson load, String name) {
        return Math.max(1, Math.round(load.get(name).asDouble()));
    }

    /** Returns the arrival overrides: all at once, or the requested or measured rate. */
    private static String arrivals(LocatedJson measurement) {
        boolean isLimited = measurement.find("settings", "max_concurrency").isPresent();
        Optional<Double> requested = measurement
                .find("settings", "request_rate")
                .filter(at -> at.value() instanceof JsonValue.Real || at.value() instanceof JsonValue.Int)
                .map(LocatedJson::asDouble);
        Optional<Double> rate =
                requested.or(() -> measurement.find("rates", "requests_per_s").map(LocatedJson::asDouble));
        boolean isAtOnce = requested.isEmpty() && !isLimited;
        return isAtOnce || rate.isEmpty() ? "arrival=static" : "arrival=poisson arrival.qps=" + rate.get();
    }
}
