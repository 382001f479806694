package dev.stagesim.sim.kernels;

import dev.stagesim.predict.Operator;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.predict.SharedLayers;
import java.util.Optional;

/**
 * Operator times of an engine whose experts are spread over devices in another way than its other layers. The feed-forward part
 * and the all-reduces are computed; where several engines share the experts, they are those of one engine without them.
 *
 * @param operators all other times
 * @param layers times of a layer that is spread in this way
 */
public record ExpertTimes(OperatorTimes operators, LayerTimes layers) implements OperatorTimes {
    @Override
    public double milliseconds(Operator operator, int count) {
        return switch (operator) {
            case MLP_UP_PROJ, MLP_DOWN_PROJ, MLP_ACT ->
                layers.exchanges() ? layers.own(operator, count) : layers.milliseconds(operator, count);
            case ALL_REDUCE -> layers.milliseconds(operator, count);
            default -> operators.milliseconds(operator, count);
        };
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
    public Optional<SharedLayers> sharedLayers() {
        return layers.exchanges() ? Optional.of(layers) : Optional.empty();
    }

    @Override
    public Coverage coverage() {
        return operators.coverage();
    }
}
