package dev.stagesim.verify.fidelity;

import dev.stagesim.sim.serving.RequestStates;
import dev.stagesim.sim.serving.ServingRecorder;
import java.util.EnumSet;
import java.util.OptionalDouble;
import java.util.Set;

/** Tokens a second between the first tokens of the first requests and the time when too few are left to replace those that end. */
final class SteadyWindow implements ServingRecorder {
    private final int first;
    private final int last;
    private int started;
    private int finished;
    private long tokens;
    private double from = Double.NaN;
    private double to = Double.NaN;

    /**
     * A window over a run.
     *
     * @param first requests that have a first token when it opens
     * @param last requests that are done when it closes; it never opens where there are none
     */
    SteadyWindow(int first, int last) {
        this.first = first;
        this.last = last;
    }

    @Override
    public Set<Signal> signals() {
        return last > 0 ? EnumSet.of(Signal.TOKENS) : Set.of();
    }

    @Override
    public void prefillCompleted(int promptTokens, double time) {
        started++;
        if (started == first) {
            from = time;
            tokens = 0;
        }
        tokens += Double.isNaN(to) ? 1 : 0;
    }

    @Override
    public void decodeLatency(double seconds, double time) {
        tokens += Double.isNaN(to) ? 1 : 0;
    }

    @Override
    public void requestCompleted(int request, double time, RequestStates states) {
        finished++;
        if (finished == last) {
            to = time;
        }
    }

    /** Empty where the window did not open, or closed before. */
    OptionalDouble tokensPerSecond() {
        return to > from ? OptionalDouble.of(tokens / (to - from)) : OptionalDouble.empty();
    }
}
