package dev.stagesim.feature.mock;

/**
 * The outcome of a request. Times are in ns since the server started, or -1 if absent.
 *
 * @param number in order of arrival, from 0
 * @param arrivalNs time at which the whole request had been read
 * @param firstNs simulated time of the first token
 * @param lastNs simulated time of the latest token
 * @param promptTokens number of prompt tokens
 * @param requestedTokens number of output tokens in the request
 * @param generatedTokens number of output tokens so far
 * @param ending how the request ended
 * @param clientId the client's id of the request; empty if absent
 * @param firstTokenDelayNs time from the first token's simulated time until the server sent it
 * @param maxDelayNs maximum of the same delay over all tokens
 */
record RequestOutcome(
        long number,
        long arrivalNs,
        long firstNs,
        long lastNs,
        int promptTokens,
        int requestedTokens,
        int generatedTokens,
        Ending ending,
        String clientId,
        long firstTokenDelayNs,
        long maxDelayNs) {
    /** How a request ended. */
    enum Ending {
        DONE,
        /** The client closed the connection before the last token. */
        DISCONNECTED,
        /** The server stopped before the last token. */
        UNFINISHED
    }

    /** Returns true if all tokens were generated. */
    boolean isComplete() {
        return generatedTokens == requestedTokens;
    }
}
