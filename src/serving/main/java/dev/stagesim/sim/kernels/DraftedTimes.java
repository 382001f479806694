package dev.stagesim.sim.kernels;

import dev.stagesim.predict.DraftTimes;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.SharedLayers;
import dev.stagesim.predict.WholeStep;
import java.util.Optional;

/** Operator times combined with the cost of drafts. */
public record DraftedTimes(OperatorTimes times, DraftTimes cost) implements OperatorTimes {
    @Override
    public double milliseconds(Operator operator, int count) {
        return times.milliseconds(operator, count);
    }

    @Override
    public double decodeMilliseconds(int batch, int kvTokens) {
        return times.decodeMilliseconds(batch, kvTokens);
    }

    @Override
    public double prefillMilliseconds(int kvTokens, int chunkTokens) {
        return times.prefillMilliseconds(kvTokens, chunkTokens);
    }

    @Override
    public Optional<WholeStep> wholeStep() {
        return times.wholeStep();
    }

    @Override
    public Optional<DraftTimes> drafts() {
        return Optional.of(cost);
    }

    @Override
    public int revision() {
        return times.revision();
    }

    @Override
    public Optional<SharedLayers> sharedLayers() {
        return times.sharedLayers();
    }

    @Override
    public Coverage coverage() {
        return times.coverage();
    }
}
