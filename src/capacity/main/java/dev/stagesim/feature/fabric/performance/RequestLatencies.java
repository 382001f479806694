package dev.stagesim.feature.fabric.performance;

import static dev.stagesim.model.Nanos.NS_PER_MS;
import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.measured.RequestRow;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;

/** Latencies of the requests of a run, measured or simulated. */
public record RequestLatencies(List<RequestRow> requests) {
    public RequestLatencies {
        requests = List.copyOf(requests);
    }

    /** Reads the completed requests of a run; there must be at least one. */
    public static RequestLatencies read(Path directory) throws IOException {
        Path file = directory.resolve(Tables.REQUEST_METRICS.name());
        List<RequestRow> requests =
                RequestRow.read(file).stream().filter(RequestRow::completed).toList();
        if (requests.isEmpty()) {
            throw StageException.input(
                    Problem.artifact(file.toString(), "no request was completed, expected at least one"));
        }
        return new RequestLatencies(requests);
    }

    /** Returns the completed requests of a range of ids, starting at {@code first}. */
    RequestLatencies range(long first, long count) {
        return new RequestLatencies(requests.stream()
                .filter(request -> request.id() >= first && request.id() < first + count)
                .toList());
    }

    int size() {
        return requests.size();
    }

    double[] ttftMs() {
        return requests.stream()
                .mapToDouble(row -> (row.first() - row.arrival()) / NS_PER_MS)
                .toArray();
    }

    double ttftMs(double quantile) {
        return Quantiles.of(ttftMs(), quantile);
    }

    /** Returns a quantile of the TPOT of requests with several output tokens; 0 if there are none. */
    double tpotMs(double quantile) {
        double[] times = requests.stream()
                .filter(row -> row.actual() > 1)
                .mapToDouble(row -> (row.completion() - row.first()) / NS_PER_MS / (row.actual() - 1))
                .toArray();
        return times.length == 0 ? 0 : Quantiles.of(times, quantile);
    }

    /** Returns the time from the first arrival to the last token. */
    double seconds() {
        long from = requests.stream().mapToLong(RequestRow::arrival).min().orElse(0);
        long to = requests.stream().mapToLong(RequestRow::completion).max().orElse(0);
        return (to - from) / NS_PER_S;
    }

    /** Returns the share of {@link #seconds} with at least one request in the system. */
    public double busyShare() {
        List<RequestRow> byArrival = requests.stream()
                .sorted(Comparator.comparingLong(RequestRow::arrival))
                .toList();
        long busy = 0;
        long until = Long.MIN_VALUE;
        for (RequestRow row : byArrival) {
            busy += Math.max(0, row.completion() - Math.max(until, row.arrival()));
            until = Math.max(until, row.completion());
        }
        return busy / NS_PER_S / seconds();
    }

    double outputTokensPerSecond() {
        return requests.stream().mapToLong(RequestRow::actual).sum() / seconds();
    }

    double requestsPerSecond() {
        return requests.size() / seconds();
    }
}
