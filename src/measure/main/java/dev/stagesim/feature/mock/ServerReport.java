package dev.stagesim.feature.mock;

import java.util.List;
import java.util.SortedMap;

/**
 * The record of a server from its start to its end.
 *
 * @param served requests in order of arrival
 * @param refused number of error responses by HTTP status
 * @param delays time from the simulated time of a token until the server sent it
 * @param elapsedNs duration of the server
 * @param maxConnections maximum number of simultaneous connections
 */
record ServerReport(
        List<RequestOutcome> served,
        SortedMap<Integer, Long> refused,
        DelayHistogram delays,
        long elapsedNs,
        int maxConnections) {
    ServerReport {
        served = List.copyOf(served);
    }
}
