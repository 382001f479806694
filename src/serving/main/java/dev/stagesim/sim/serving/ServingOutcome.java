package dev.stagesim.sim.serving;

import dev.stagesim.model.Problem;
import java.util.Map;
import java.util.Optional;

/**
 * How a simulation ended.
 *
 * @param ending why it ended
 * @param problem what is wrong and what to change; empty when it finished or met its time limit
 * @param endSeconds time of the last event
 * @param eventCounts handled events of each kind
 * @param arrived requests that arrived
 * @param completed requests that completed
 * @param batches batches that ended
 * @param batchTokens tokens of those batches
 * @param restarts restarts of all requests
 * @param states final state of every request
 * @param engine figures that only an engine with a prefix cache has
 * @param waves steps that engines ran together; empty where each runs by itself
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
        Optional<EngineFigures> engine,
        Optional<WaveFigures> waves) {

    /**
     * What an engine with a prefix cache did.
     *
     * @param askedTokens tokens of new requests that the cache was asked for
     * @param hitTokens those that it had
     * @param preemptions requests that lost their blocks
     * @param draftTokens drafts that were verified
     * @param acceptedTokens drafts that were right
     * @param adapterLoads LoRA adapters that were loaded into a slot
     */
    public record EngineFigures(
            long askedTokens,
            long hitTokens,
            long preemptions,
            long draftTokens,
            long acceptedTokens,
            long adapterLoads) {
        /** Those of two engines together. */
        EngineFigures plus(EngineFigures other) {
            return new EngineFigures(
                    askedTokens + other.askedTokens,
                    hitTokens + other.hitTokens,
                    preemptions + other.preemptions,
                    draftTokens + other.draftTokens,
                    acceptedTokens + other.acceptedTokens,
                    adapterLoads + other.adapterLoads);
        }

        /** Share of the tokens asked for that the cache had. */
        public double hitRate() {
            return askedTokens == 0 ? 0 : (double) hitTokens / askedTokens;
        }
    }

    /**
     * What engines did that share experts and run every step together.
     *
     * @param waves times that a group began to run, having paused
     * @param steps steps that groups began, each on all engines
     * @param dummies steps of an engine without requests
     * @param stepSeconds time of the steps with requests, summed over engines
     * @param waitSeconds those seconds of it that engines waited for slower ones
     */
    public record WaveFigures(long waves, long steps, long dummies, double stepSeconds, double waitSeconds) {
        /** Of no group. */
        public static final WaveFigures NONE = new WaveFigures(0, 0, 0, 0, 0);

        public WaveFigures plus(WaveFigures other) {
            return new WaveFigures(
                    waves + other.waves,
                    steps + other.steps,
                    dummies + other.dummies,
                    stepSeconds + other.stepSeconds,
                    waitSeconds + other.waitSeconds);
        }
    }

    /** Why a simulation ended. */
    public enum Ending {
        /** Every request completed. */
        FINISHED,
        /** The time limit passed. */
        TIME_LIMIT,
        /** No event is left, but requests wait or hold memory: deadlock. */
        STUCK,
        /** A batch is beyond what the operator times cover. */
        NOT_COVERED,
        /** A request asks for no output token. */
        NO_OUTPUT,
        /** The scheduler ran out of KV blocks. */
        OUT_OF_BLOCKS
    }

    /** All handled events. */
    public long events() {
        return eventCounts.values().stream().mapToLong(Long::longValue).sum();
    }

    public long events(EventType type) {
        return eventCounts.getOrDefault(type, 0L);
    }
}
