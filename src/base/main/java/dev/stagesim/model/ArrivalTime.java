package dev.stagesim.model;

/** Definition of the arrival time of a request that waited in the client. */
public enum ArrivalTime {
    INTENDED, // Scheduled send time: the wait in the client is part of the time to first token.
    SENT // Actual send time.
}
