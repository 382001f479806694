package dev.stagesim.stage.fabric;

import dev.stagesim.contract.RequestStatus;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.stats.Quantiles;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/** Times of a run's requests, measured or simulated. */
final class RunFigures {
    private static final double NS_PER_MS = 1e6;
    private static final double NS_PER_SECOND = 1e9;

    private final List<Request> requests;

    /** A request that was served. */
    record Request(long id, long arrivalNs, long firstNs, long doneNs, long prompt, long output) {
        double ttftMs() {
            return (firstNs - arrivalNs) / NS_PER_MS;
        }

        double tpotMs() {
            return output > 1 ? (doneNs - firstNs) / NS_PER_MS / (output - 1) : 0;
        }
    }

    private RunFigures(List<Request> requests) {
        this.requests = List.copyOf(requests);
    }

    static RunFigures read(Path directory) throws IOException {
        List<Request> requests = new ArrayList<>();
        Path file = directory.resolve(Tables.REQUEST_METRICS.name());
        try (TableReader reader = TableReader.open(file, Tables.REQUEST_METRICS)) {
            int id = reader.column("request_id");
            int arrival = reader.column("arrival_time_ns");
            int first = reader.column("first_token_time_ns");
            int done = reader.column("completion_time_ns");
            int prompt = reader.column("num_prefill_tokens");
            int output = reader.column("num_decode_tokens_actual");
            int status = reader.column("status");
            while (reader.next()) {
                if (reader.stringAt(status).equals(RequestStatus.COMPLETED.text())) {
                    requests.add(new Request(
                            reader.longAt(id),
                            reader.longAt(arrival),
                            reader.longAt(first),
                            reader.longAt(done),
                            reader.longAt(prompt),
                            reader.longAt(output)));
                }
            }
        }
        if (requests.isEmpty()) {
            throw StageException.input(
                    Problem.of("artifact error", file.toString(), "no request was served, expected one at least"));
        }
        return new RunFigures(requests);
    }

    /** The requests numbered from {@code first} on; empty when none of them was served. */
    RunFigures range(long first, long count) {
        return new RunFigures(requests.stream()
                .filter(request -> request.id() >= first && request.id() < first + count)
                .toList());
    }

    int size() {
        return requests.size();
    }

    double[] ttftMs() {
        return requests.stream().mapToDouble(Request::ttftMs).toArray();
    }

    double ttftMs(double quantile) {
        return Quantiles.of(ttftMs(), quantile);
    }

    double tpotMs(double quantile) {
        return Quantiles.of(requests.stream().mapToDouble(Request::tpotMs).toArray(), quantile);
    }

    /** From the first arrival to the last token. */
    double seconds() {
        long from = requests.stream().mapToLong(Request::arrivalNs).min().orElse(0);
        long to = requests.stream().mapToLong(Request::doneNs).max().orElse(0);
        return (to - from) / NS_PER_SECOND;
    }

    double outputTokensPerSecond() {
        return requests.stream().mapToLong(Request::output).sum() / seconds();
    }

    double requestsPerSecond() {
        return requests.size() / seconds();
    }
}
