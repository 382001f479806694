package dev.stagesim.stage.realbench;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.measured.Measurement;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.measure.RealSettings;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** The number of clients of a measured closed loop: as the file states it, as set, or apparent from the requests. */
final class MeasuredClients {
    private static final String WORKLOAD = "workload";
    private static final String CLIENTS = "closed_loop";
    private static final String KEY = "real.concurrency";

    /** Minimum number of requests per client to detect a closed loop. */
    private static final int ROUNDS = 3;

    /** Minimum share of requests that follow a completion closely. */
    private static final double MOST = 0.9;

    /** Maximum time between them as a share of the mean latency. */
    private static final double CLOSE = 0.02;

    private static final long ROUNDING_NS = 1000;

    private MeasuredClients() {}

    /** Returns the measurement with its number of clients, or with a warning if it is apparent but not stated. */
    static Measurement of(RealSettings real, Measurement measurement) {
        JsonValue.Obj load = measurement.about().members().get(WORKLOAD) instanceof JsonValue.Obj stated
                ? stated
                : JsonValue.object().build();
        Optional<String> inFile =
                Optional.ofNullable(load.members().get(CLIENTS)).map(Json::compact);
        if (real.concurrency().isEmpty()) {
            return inFile.isPresent()
                    ? measurement
                    : apparent(measurement.requests())
                            .map(clients -> measurement.warned(warning(clients)))
                            .orElse(measurement);
        }
        long clients = real.concurrency().get();
        JsonValue set = JsonValue.of(clients);
        if (inFile.filter(stated -> !stated.equals(Json.compact(set))).isPresent()) {
            throw StageException.input(
                    Problem.config(KEY, "is " + clients + ", but the file states a closed loop of " + inFile.get())
                            .hint("leave it out"));
        }
        return measurement.about(measurement.about().with(WORKLOAD, load.with(CLIENTS, set)));
    }

    private static String warning(int clients) {
        return "nearly every request was sent when another one had ended, with " + clients + " in flight, but the file"
                + " states no concurrency: a simulation of the measured send times does not model the feedback of latency"
                + " on the load; set concurrency=" + clients + " if the load was a closed loop";
    }

    /** Returns the maximum number of requests in flight if nearly every later request follows a completion closely. */
    private static Optional<Integer> apparent(Requests requests) {
        List<Requests.Request> all = requests.all();
        long[] sent = all.stream().mapToLong(Requests.Request::arrival).toArray();
        long[] ends = all.stream()
                .mapToLong(Requests.Request::completion)
                .filter(end -> end >= 0)
                .sorted()
                .toArray();
        if (ends.length < sent.length) {
            return Optional.empty();
        }
        int limit = 0;
        for (int i = 0, ended = 0; i < sent.length; i++) {
            while (ended < ends.length && ends[ended] <= sent[i] + ROUNDING_NS) {
                ended++;
            }
            limit = Math.max(limit, i + 1 - ended);
        }
        double mean = all.stream()
                .mapToLong(r -> r.completion() - r.arrival())
                .average()
                .orElse(0);
        int clients = limit;
        int later = sent.length - clients;
        long following = IntStream.range(clients, sent.length)
                .filter(i -> sent[i] - ends[i - clients] <= CLOSE * mean)
                .count();
        return clients > 1 && later / (ROUNDS - 1) >= clients && following >= MOST * later
                ? Optional.of(clients)
                : Optional.empty();
    }
}
