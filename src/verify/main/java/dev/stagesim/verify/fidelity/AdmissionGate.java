package dev.stagesim.verify.fidelity;

import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.util.EnumSet;
import java.util.Set;

/** Delays arrived requests until the engine looks for them, and counts the engine's steps for that. */
final class AdmissionGate implements ServingRecorder {
    /**
     * When an engine takes arrived requests.
     *
     * @param everySteps steps between looks at arrived requests
     * @param waitSteps maximum steps that the oldest request waits for others
     */
    record Rule(int everySteps, int waitSteps) {
        static final Rule IMMEDIATE = new Rule(1, 0);
    }

    private final Rule rule;
    private long steps;
    private long oldest = -1;

    AdmissionGate(Rule rule) {
        this.rule = rule;
    }

    @Override
    public Set<Signal> signals() {
        return rule.equals(Rule.IMMEDIATE) ? Set.of() : EnumSet.of(Signal.BATCH_ENDED);
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        steps++;
    }

    /**
     * Returns true if waiting requests are admitted now.
     *
     * @param isIdle whether the engine has no request
     */
    boolean opens(boolean isIdle) {
        if (oldest < 0) {
            oldest = steps;
        }
        boolean opens = isIdle || (steps % rule.everySteps() == 0 && steps - oldest >= rule.waitSteps());
        if (opens) {
            oldest = -1;
        }
        return opens;
    }
}
