package dev.stagesim.serving.workload;

import dev.stagesim.contract.Member;
import dev.stagesim.io.json.Json;
import dev.stagesim.sim.workload.ClosedLoop;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Optional;

/** The limit on the requests in flight of a workload. Open loops have no such document. */
@Member("closed_loop.json 2 | Limit on the requests in flight. Arrival times of the workload are then lower bounds.")
public record ClosedLoopDocument(
        @Member("Maximum number of requests in flight.") int concurrency,
        @Member("Time in which the limit rises linearly, in seconds; 0 for no ramp-up.") double rampUpS,
        @Member("First requests, which metrics exclude.") int warmupRequests,
        @Member("True if the limit counts sessions, so that a turn follows the previous answer.") boolean sessions) {
    /** Returns the document of a limit. */
    public static ClosedLoopDocument of(ClosedLoop limit) {
        return new ClosedLoopDocument(
                limit.concurrency(), limit.rampUpSeconds(), limit.warmUpRequests(), limit.countsSessions());
    }

    /** Returns the limit of the workload in a directory; empty for an open loop. */
    public static Optional<ClosedLoop> read(Path run) throws IOException {
        return Json.readDocument(run, ClosedLoopDocument.class)
                .map(document -> new ClosedLoop(
                        document.concurrency(), document.rampUpS(), document.warmupRequests(), document.sessions()));
    }
}
