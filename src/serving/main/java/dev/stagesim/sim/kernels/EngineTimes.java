package dev.stagesim.sim.kernels;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.SharedLayers;
import dev.stagesim.predict.WholeStep;
import java.util.Optional;

/**
 * Operator times from any source, combined into steps of an engine.
 *
 * @param step model of the whole step
 */
public record EngineTimes(OperatorTimes operators, StepModel step) implements OperatorTimes {
    @Override
    public double milliseconds(Operator operator, int count) {
        return operators.milliseconds(operator, count);
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        return operators.decodeMilliseconds(batch, kvTokens);
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        return operators.prefillMilliseconds(kvTokens, chunkTokens);
    }

    @Override
    public Optional<WholeStep> wholeStep() {
        return Optional.of(step);
    }

    @Override
    public int revision() {
        return operators.revision();
    }

    @Override
    public Optional<SharedLayers> sharedLayers() {
        return operators.sharedLayers();
    }

    @Override
    public Coverage coverage() {
        return operators.coverage();
    }
}
