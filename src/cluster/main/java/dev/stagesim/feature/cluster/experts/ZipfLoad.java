package dev.stagesim.feature.cluster.experts;

import dev.stagesim.model.Key;
import dev.stagesim.model.OnlyIf;
import dev.stagesim.model.Variant;
import dev.stagesim.sim.core.RandomStream;
import java.util.Optional;

/** Zipf-distributed expert loads with random ranks per layer. */
@Variant("zipf | The load of the i-th most popular expert of a layer is proportional to 1 / i^exponent. Ranks are"
        + " random.")
public record ZipfLoad(
        @Key("Exponent; 0 for equal loads. | 0.8 | 0..10") double exponent,
        @Key("Interval at which some experts exchange their loads; null for constant loads. | null | s |"
                        + " 0.1..1000000000")
                Optional<Double> changeS,
        @Key("Share of the experts of a layer that exchange their loads. | 0.25 | 0..1")
                @OnlyIf("change_s != null | loads are constant | set change_s")
                double changeShare,
        @Key("Random seed. | 42 | 0..9223372036854775807") long seed)
        implements ExpertLoad {
    @Override
    public Source of(int layers, int experts) {
        return () -> new Drawn(layers, experts);
    }

    private final class Drawn implements Phases {
        private final RandomStream random = RandomStream.of(seed, "experts");
        private final double[][] shares;
        private int phase;

        Drawn(int layers, int experts) {
            shares = new double[layers][experts];
        }

        @Override
        public double[][] next() {
            for (double[] layer : shares) {
                if (phase == 0) {
                    double sum = 0;
                    for (int i = 0; i < layer.length; i++) {
                        layer[i] = Math.pow(i + 1, -exponent);
                        sum += layer[i];
                    }
                    for (int i = 0; i < layer.length; i++) {
                        layer[i] /= sum;
                    }
                }
                exchange(layer, phase == 0 ? layer.length : (int) Math.round(changeShare * layer.length));
            }
            phase++;
            return shares;
        }

        /** Permutes the loads of {@code count} random experts. */
        private void exchange(double[] layer, int count) {
            int[] drawn = new int[layer.length];
            for (int i = 0; i < drawn.length; i++) {
                int other = (int) random.below(i + 1);
                drawn[i] = drawn[other];
                drawn[other] = i;
            }
            for (int i = count - 1; i > 0; i--) {
                int other = (int) random.below(i + 1);
                double swapped = layer[drawn[i]];
                layer[drawn[i]] = layer[drawn[other]];
                layer[drawn[other]] = swapped;
            }
        }

        @Override
        public double until() {
            return changeS.map(seconds -> phase * seconds).orElse(Double.POSITIVE_INFINITY);
        }
    }
}
