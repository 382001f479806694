package dev.stagesim.sim.kernels;

import dev.stagesim.predict.DraftTimes;
import dev.stagesim.predict.ForwardingTimes;
import dev.stagesim.predict.OperatorTimes;
import java.util.Optional;

/** Operator times combined with the cost of drafts. */
public record DraftedTimes(OperatorTimes operators, DraftTimes cost) implements ForwardingTimes {
    @Override
    public Optional<DraftTimes> drafts() {
        return Optional.of(cost);
    }
}
