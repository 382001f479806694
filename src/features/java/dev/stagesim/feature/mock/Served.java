package dev.stagesim.feature.mock;

/**
 * Outcome of a request; times in ns since the server began, -1 where it has none.
 *
 * @param number in order of arrival, from 0
 * @param arrivalNs when all of it had come
 * @param firstNs when the simulated service gave its first token
 * @param lastNs when it gave the last so far
 * @param promptTokens prompt tokens
 * @param askedTokens output tokens it asked for
 * @param givenTokens output tokens it got
 * @param ending how it ended
 * @param clientId what the client calls it; empty when it does not say
 * @param lateFirstNs how long after its time the first token was handed to the system
 * @param lateMostNs the same of the token that was latest
 */
public record Served(
        long number,
        long arrivalNs,
        long firstNs,
        long lastNs,
        int promptTokens,
        int askedTokens,
        int givenTokens,
        Ending ending,
        String clientId,
        long lateFirstNs,
        long lateMostNs) {
    /** How a request ends. */
    public enum Ending {
        /** With its last token. */
        DONE,
        /** The client closed the connection before. */
        CLIENT_GONE,
        /** The server ended before. */
        UNFINISHED
    }
}
