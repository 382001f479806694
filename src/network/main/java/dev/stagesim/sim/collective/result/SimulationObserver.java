package dev.stagesim.sim.collective.result;

import dev.stagesim.sim.collective.procedure.CollectiveKind;

/** Observer of a run. All methods have defaults that do nothing. */
public interface SimulationObserver {
    /** An observer that does nothing. */
    SimulationObserver NONE = new SimulationObserver() {};

    /**
     * A node, given by its index in the trace, has run; times in ns. With symmetry, only representatives are reported.
     */
    default void node(int npu, int node, long startNs, long endNs) {}

    /**
     * A collective of chunks or of a custom trace has run on an NPU; called in addition to {@link #node}.
     *
     * @param members number of participating NPUs
     * @param bytes its size in the trace
     * @param multiplicity number of NPUs that this one represents, including itself
     */
    default void collective(CollectiveKind kind, int members, long bytes, long startNs, long endNs, int multiplicity) {}

    /** A message starts. Called only if {@link #needsMessages}, and not with symmetry. */
    default void message(int source, int destination, long bytes, long nowNs) {}

    /** Traffic between two NPUs in the whole run. Called at the end if {@link #needsMessages}, with symmetry only. */
    default void traffic(int source, int destination, long messages, long bytes) {}

    /** True if {@link #message} or {@link #traffic} must be called. */
    default boolean needsMessages() {
        return false;
    }

    /** Time in ns after which the run ends early. Events at that time are still handled. */
    default long stopsAfter() {
        return Long.MAX_VALUE;
    }

    /** Discards the reported events: the run restarts without symmetry. */
    default void restarts() {}

    /**
     * Called about every million events, including network events.
     *
     * @return false to end the run early
     */
    default boolean progress(long nowNs, long events, int finishedNpus) {
        return true;
    }
}
