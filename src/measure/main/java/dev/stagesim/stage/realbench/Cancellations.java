package dev.stagesim.stage.realbench;

import static dev.stagesim.model.Nanos.NS_PER_S;

import dev.stagesim.bench.Cancellation;
import dev.stagesim.bench.PlannedRequest;
import dev.stagesim.io.csv.LooseTable;
import dev.stagesim.measure.CancelSettings;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.core.RandomStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Determines when the client cancels each request of a replay. */
final class Cancellations {
    private static final List<String> COLUMNS = List.of("request_id", "after_tokens", "after_s");

    private Cancellations() {}

    /** Returns the requests with their cancellations. */
    static List<PlannedRequest> plan(CancelSettings settings, List<PlannedRequest> requests) throws IOException {
        if (settings instanceof CancelSettings.Share share) {
            RandomStream draws = RandomStream.of(share.seed(), "cancellations");
            Cancellation each = cancellation(share.afterTokens(), share.after());
            return with(requests, request -> draws.nextDouble() < share.share() ? each : Cancellation.NEVER);
        }
        if (settings instanceof CancelSettings.Listed listed) {
            Map<Long, Cancellation> all = read(listed.file(), requests.size());
            return with(requests, request -> all.getOrDefault(request.id(), Cancellation.NEVER));
        }
        return requests;
    }

    private static List<PlannedRequest> with(
            List<PlannedRequest> requests, Function<PlannedRequest, Cancellation> chosen) {
        List<PlannedRequest> planned = new ArrayList<>();
        for (PlannedRequest r : requests) {
            planned.add(new PlannedRequest(r.id(), r.arrivalNs(), r.prompt(), r.outputTokens(), chosen.apply(r)));
        }
        return planned;
    }

    private static Cancellation cancellation(Optional<Integer> tokens, Optional<Double> seconds) {
        return new Cancellation(
                tokens.orElse(Integer.MAX_VALUE),
                seconds.map(s -> Math.round(s * NS_PER_S)).orElse(Long.MAX_VALUE));
    }

    private static Map<Long, Cancellation> read(Path file, int requests) throws IOException {
        LooseTable rows = LooseTable.read(file);
        List<Problem> problems = new ArrayList<>();
        for (String column : COLUMNS) {
            if (!rows.has(column)) {
                problems.add(Problem.artifact(file.toString(), "there is no column '" + column + "'")
                        .options(COLUMNS));
            }
        }
        StageException.refuse(problems);
        Map<Long, Cancellation> all = new TreeMap<>();
        for (int i = 0; i < rows.size(); i++) {
            long id = rows.integer(i, "request_id");
            Optional<Integer> tokens =
                    rows.isEmpty(i, "after_tokens") ? Optional.empty() : Optional.of(rows.integer(i, "after_tokens"));
            Optional<Double> seconds =
                    rows.isEmpty(i, "after_s") ? Optional.empty() : Optional.of(rows.number(i, "after_s"));
            String wrong = id < 0 || id >= requests
                    ? "request_id is " + id + ", but the workload has " + requests + " requests, from 0"
                    : tokens.isEmpty() && seconds.isEmpty()
                            ? "has neither after_tokens nor after_s"
                            : tokens.orElse(1) < 1 || seconds.orElse(1.0) <= 0
                                    ? "after_tokens must be at least 1 and after_s above 0"
                                    : all.containsKey(id) ? "lists request " + id + " again" : "";
            if (!wrong.isEmpty()) {
                problems.add(Problem.artifact(rows.where(i), wrong));
            }
            all.put(id, cancellation(tokens, seconds));
        }
        StageException.refuse(problems);
        return all;
    }
}
