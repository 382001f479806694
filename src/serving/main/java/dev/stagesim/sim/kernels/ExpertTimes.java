package dev.stagesim.sim.kernels;

import dev.stagesim.predict.ForwardingTimes;
import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.SharedLayers;
import java.util.Optional;

/**
 * Operator times for an engine with different sharding of experts and other layers. The feed-forward part and the
 * all-reduces are computed from the card. If several engines share the experts, these times exclude the routed experts.
 *
 * @param operators times of all other operators
 * @param layers times of a layer with this sharding
 */
public record ExpertTimes(OperatorTimes operators, LayerTimes layers) implements ForwardingTimes {
    @Override
    public double milliseconds(Operator operator, int count) {
        return switch (operator) {
            case MLP_UP_PROJ, MLP_DOWN_PROJ, MLP_ACT ->
                layers.exchanges()
                        ? layers.withoutRoutedExperts(operator, count)
                        : layers.milliseconds(operator, count);
            case ALL_REDUCE -> layers.milliseconds(operator, count);
            default -> operators.milliseconds(operator, count);
        };
    }

    @Override
    public Optional<SharedLayers> sharedLayers() {
        return layers.exchanges() ? Optional.of(layers) : Optional.empty();
    }
}
