package dev.stagesim.sim.kernels;

import dev.stagesim.predict.ForwardingTimes;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.WholeStep;
import java.util.Optional;

/**
 * Operator times from any source, combined into steps of an engine.
 *
 * @param step model of the whole step
 */
public record EngineTimes(OperatorTimes operators, StepModel step) implements ForwardingTimes {
    @Override
    public Optional<WholeStep> wholeStep() {
        return Optional.of(step);
    }
}
