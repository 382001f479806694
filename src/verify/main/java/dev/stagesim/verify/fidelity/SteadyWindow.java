package dev.stagesim.verify.fidelity;

import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.util.EnumSet;
import java.util.OptionalDouble;
import java.util.Set;

/**
 * Measures the tokens per second between the first tokens of the first requests and the time at which too few requests are
 * left to replace finished ones.
 */
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
     * @param first number of requests with a first token at its start
     * @param last number of finished requests at its end; 0 means that the window never opens
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

    /** Returns the rate, or empty if the window did not open or closed first. */
    OptionalDouble tokensPerSecond() {
        return to > from ? OptionalDouble.of(tokens / (to - from)) : OptionalDouble.empty();
    }
}
