package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import dev.stagesim.sim.serving.replica.EngineCounters;
import dev.stagesim.sim.serving.replica.EventType;
import dev.stagesim.sim.serving.replica.RequestStates;
import java.util.Map;
import java.util.Optional;

/**
 * The result of a simulation.
 *
 * @param ending reason for the end
 * @param problem the cause and its remedy; empty if the simulation finished or reached its time limit
 * @param endSeconds time of the last event
 * @param eventCounts handled events of each kind
 * @param arrived requests that arrived
 * @param completed requests that completed
 * @param batches batches that ended
 * @param batchTokens tokens of these batches
 * @param restarts restarts of all requests
 * @param states final state of every request
 * @param engine metrics of engines with a prefix cache; empty for others
 * @param waves metrics of engines in lockstep; empty if engines are independent
 */
public record ServingOutcome(
        Ending ending,
        Optional<Problem> problem,
        double endSeconds,
        Map<EventType, Long> eventCounts,
        int arrived,
        int completed,
        long batches,
        long batchTokens,
        long restarts,
        RequestStates states,
        Optional<EngineCounters> engine,
        Optional<WaveCounters> waves) {

    /** The reason for the end of a simulation. */
    public enum Ending {
        /** Every request completed. */
        FINISHED,
        /** The time passed the limit. */
        TIME_LIMIT,
        /** No event is left, but requests wait or use memory: deadlock. */
        STUCK,
        /** The operator times do not cover a batch. */
        NOT_COVERED,
        /** A request requests no output token. */
        NO_OUTPUT,
        /** The scheduler ran out of KV blocks. */
        OUT_OF_BLOCKS
    }

    /** Returns the number of handled events. */
    public long events() {
        return eventCounts.values().stream().mapToLong(Long::longValue).sum();
    }

    public long events(EventType type) {
        return eventCounts.getOrDefault(type, 0L);
    }
}
