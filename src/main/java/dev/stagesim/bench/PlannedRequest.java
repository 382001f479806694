package dev.stagesim.bench;

/**
 * One request of a replay.
 *
 * @param id number of the request
 * @param arrivalNs when it is to be sent, since the start of the replay
 * @param prompt text of the prompt
 * @param outputTokens output tokens to ask for, at least 1
 */
public record PlannedRequest(long id, long arrivalNs, String prompt, int outputTokens) {}
