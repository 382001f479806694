package dev.stagesim.sim.collective;

/** Who watches a run; every method may be left as it is. */
public interface SimulationObserver {
    /** Watches nothing. */
    SimulationObserver NONE = new SimulationObserver() {};

    /**
     * A node of an NPU's trace, by its index in the trace, has run; times in ns. With symmetry only the NPUs that stand
     * in for others are heard of.
     */
    default void node(int npu, int node, long startNs, long endNs) {}

    /**
     * A collective that is made of chunks or of a trace has run on an NPU; called beside {@link #node}.
     *
     * @param members NPUs that take part
     * @param bytes its size as the node gives it
     * @param alike for how many NPUs this one is simulated, itself among them
     */
    default void collective(CollectiveKind kind, int members, long bytes, long startNs, long endNs, int alike) {}

    /** A message starts; only called when {@link #wantsMessages}, and not with symmetry. */
    default void message(int source, int destination, long bytes, long nowNs) {}

    /** What one NPU sent to another in the whole run; called at its end when {@link #wantsMessages}, with symmetry. */
    default void traffic(int source, int destination, long messages, long bytes) {}

    /** Whether {@link #message} or {@link #traffic} is to be called. */
    default boolean wantsMessages() {
        return false;
    }

    /** Time in ns after which the run ends, as if nothing was left to do; what happens at that time still counts. */
    default long stopsAfter() {
        return Long.MAX_VALUE;
    }

    /** What was told so far is void: the run begins again, without symmetry. */
    default void restarts() {}

    /**
     * Called about every million events, the network's own included.
     *
     * @return whether to go on; when not, the run ends as if nothing was left to do
     */
    default boolean progress(long nowNs, long events, int finishedNpus) {
        return true;
    }
}
