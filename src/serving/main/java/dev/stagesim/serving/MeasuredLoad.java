package dev.stagesim.serving;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableFile;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.trace.WorkloadDocument;
import dev.stagesim.report.Numbers;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The load of a measurement, and how its engine differs from a simulated one. */
public final class MeasuredLoad {
    private static final String MEASUREMENT = "measurement.json";
    private static final int DIGITS = 3;

    /** Maximum mean length, so that prompt and output together are a number of 32 bits. */
    private static final int MAX_TOKENS = Integer.MAX_VALUE / 2;

    /** Members of a measured load as text. */
    private static final Map<String, String> LOAD = new TreeMap<>(Map.of(
            "requests", "number of requests",
            "prompt_tokens", "mean prompt length",
            "output_tokens", "mean output length"));

    private MeasuredLoad() {}

    /** Returns the number of clients if a run measured a closed loop, else empty. */
    public static Optional<Integer> closedLoop(Path run) throws IOException {
        return closedLoop(measurement(run));
    }

    private static Optional<Integer> closedLoop(LocatedJson measurement) {
        return measurement.find("workload", "closed_loop").map(MeasuredLoad::positive);
    }

    /** Returns true if a run has a list of requests. */
    static boolean hasRequests(Path run) {
        return TableFile.exists(run.resolve(Tables.TRACE_LENGTHS.name()));
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
     * @param isVaried true if the measured outputs differed, because their mean is not a whole number
     */
    record MeanRequests(
            int count, int prompt, int output, Optional<Double> rate, Optional<Integer> clients, boolean isVaried) {
        /** True if clients wait for answers, so that equal outputs would complete, and enter, together. */
        boolean isLoop() {
            return clients.filter(limit -> limit > 1).isPresent();
        }

        /** Returns how the lengths of the outputs are chosen, or the effect of equal outputs, for the warning. */
        String lengths() {
            return isVaried
                    ? "; their outputs are spread evenly over 50 to 150 % of the mean, as the measured outputs varied"
                    : ". If the measured outputs varied, simulate such requests with vidur_sim and set sim.dir=<its"
                            + " run>: equal outputs complete together, which raises the TTFT";
        }

        String arrivals() {
            return rate.map(value -> "Poisson arrivals at " + Numbers.significant(value, DIGITS) + " per second")
                            .orElse("all sent at once")
                    + clients.map(value -> " and at most " + value + " in flight")
                            .orElse("");
        }

        @Override
        public String toString() {
            return count + " requests with the measured mean lengths of " + prompt + " and " + output + " tokens, "
                    + (rate.isPresent() ? "with " : "") + arrivals();
        }
    }

    /** Returns the arrival process of a run's requests as a condition; {@code document} describes generated requests. */
    public static String arrivals(Path run, Optional<WorkloadDocument> document) throws IOException {
        Optional<MeanRequests> mean = document.isPresent() || hasRequests(run) ? Optional.empty() : mean(run);
        Optional<Integer> clients = document.isPresent() ? Optional.empty() : closedLoop(run);
        return mean.map(requests -> "arrivals: " + requests.arrivals() + ", as the measurement has no list of requests")
                .or(() -> clients.map(limit -> "arrivals: closed loop, " + limit
                        + " in flight, as measured: the requests enter in their measured order, not at their measured"
                        + " times"))
                .orElse(ConditionText.load(document));
    }

    /** Returns the requests of a measurement without a list of them; empty if it does not describe them. */
    static Optional<MeanRequests> mean(Path run) throws IOException {
        LocatedJson measurement = measurement(run);
        if (!missing(measurement).isEmpty()) {
            return Optional.empty();
        }
        LocatedJson load = measurement.get("workload");
        return Optional.of(new MeanRequests(
                positive(load.get("requests")),
                tokens(load, "prompt_tokens"),
                tokens(load, "output_tokens"),
                rate(measurement).flatMap(MeasuredLoad::finite).map(LocatedJson::asDouble),
                clients(measurement),
                load.get("output_tokens").asDouble() % 1 != 0));
    }

    /** Returns the properties of a load that a measurement does not state. */
    static List<String> missing(Path run) throws IOException {
        return missing(measurement(run));
    }

    private static LocatedJson measurement(Path run) throws IOException {
        Path file = run.resolve(MEASUREMENT);
        return Files.exists(file)
                ? Json.read(file)
                : new LocatedJson(file.toString(), "", JsonValue.object().build());
    }

    private static List<String> missing(LocatedJson measurement) {
        List<String> missing = new ArrayList<>();
        LOAD.forEach((name, words) -> {
            if (measurement.find("workload", name).isEmpty()) {
                missing.add(words);
            }
        });
        if (rate(measurement).isEmpty() && clients(measurement).isEmpty()) {
            missing.add("request rate or number of clients");
        }
        return missing;
    }

    private static Optional<LocatedJson> rate(LocatedJson measurement) {
        return measurement.find("workload", "request_rate").or(() -> measurement.find("settings", "request_rate"));
    }

    private static Optional<Integer> clients(LocatedJson measurement) {
        return closedLoop(measurement).or(() -> measurement
                .find("settings", "max_concurrency")
                .flatMap(MeasuredLoad::finite)
                .map(MeasuredLoad::positive));
    }

    /** Returns a positive number; empty for other values, which tools write for no limit. */
    private static Optional<LocatedJson> finite(LocatedJson at) {
        return Optional.of(at)
                .filter(LocatedJson::isNumber)
                .filter(number -> number.asDouble() > 0 && number.asDouble() < Double.POSITIVE_INFINITY);
    }

    private static int positive(LocatedJson at) {
        int count = at.asInt();
        if (count < 1) {
            throw at.expected("at least 1");
        }
        return count;
    }

    private static int tokens(LocatedJson load, String name) {
        LocatedJson at = load.get(name);
        double mean = at.asDouble();
        if (!(mean >= 0 && mean <= MAX_TOKENS)) {
            throw at.expected("0 to " + MAX_TOKENS + " tokens");
        }
        return (int) Math.max(1, Math.round(mean));
    }
}
