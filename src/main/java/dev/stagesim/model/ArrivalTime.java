package dev.stagesim.model;

/** What counts as the arrival of a request that waited in the client. */
public enum ArrivalTime {
    INTENDED, // When the client meant to send it: its wait in the client is part of the time to first token.
    SENT // When the client sent it.
}
