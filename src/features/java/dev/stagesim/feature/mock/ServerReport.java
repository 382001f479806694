package dev.stagesim.feature.mock;

import java.util.List;
import java.util.SortedMap;

/**
 * What a server did until it ended.
 *
 * @param served requests in order of arrival
 * @param refused answers that were errors, by HTTP status
 * @param lateness how late tokens were handed to the system, against the simulation
 * @param elapsedNs how long it ran
 * @param mostConnections most connections at a time
 */
public record ServerReport(
        List<Served> served, SortedMap<Integer, Long> refused, Lateness lateness, long elapsedNs, int mostConnections) {
    public ServerReport {
        served = List.copyOf(served);
    }
}
