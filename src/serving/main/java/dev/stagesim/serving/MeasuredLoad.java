package dev.stagesim.serving;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.report.Numbers;
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
    private static final int DIGITS = 3;

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

    /**
     * Requests with the mean lengths of a measurement.
     *
     * @param rate requests per second; empty if all are sent at once
     * @param clients maximum requests in flight; empty for no limit
     */
    record MeanRequests(int count, int prompt, int output, Optional<Double> rate, Optional<Integer> clients) {
        @Override
        public String toString() {
            return count + " requests with the measured mean lengths of " + prompt + " and " + output + " tokens, "
                    + rate.map(value ->
                                    "with Poisson arrivals at " + Numbers.significant(value, DIGITS) + " per second")
                            .orElse("all sent at once")
                    + clients.map(value -> " and at most " + value + " in flight")
                            .orElse("");
        }
    }

    /** Returns the requests of a measurement without a list of them; empty if it does not describe them. */
    static Optional<MeanRequests> mean(Path run) throws IOException {
        Path file = run.resolve(MEASUREMENT);
        if (!Files.exists(file)) {
            return Optional.empty();
        }
        LocatedJson measurement = Json.read(file);
        return measurement
                .find("workload")
                .filter(at -> at.isObject()
                        && at.has("prompt_tokens")
                        && at.get("requests").asLong() > 0)
                .map(at -> new MeanRequests(
                        Math.toIntExact(at.get("requests").asLong()),
                        tokens(at, "prompt_tokens"),
                        tokens(at, "output_tokens"),
                        number(measurement, "request_rate"),
                        number(measurement, "max_concurrency").map(Double::intValue)));
    }

    private static int tokens(LocatedJson load, String name) {
        return (int) Math.max(1, Math.round(load.get(name).asDouble()));
    }

    private static Optional<Double> number(LocatedJson measurement, String setting) {
        return measurement
                .find("settings", setting)
                .filter(at -> at.value() instanceof JsonValue.Real || at.value() instanceof JsonValue.Int)
                .map(LocatedJson::asDouble)
                .filter(value -> value > 0 && value < Double.POSITIVE_INFINITY);
    }
}
