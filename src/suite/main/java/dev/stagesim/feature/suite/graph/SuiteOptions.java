package dev.stagesim.feature.suite.graph;

import dev.stagesim.workload.TfWorkload.Optimizer;
import java.util.List;

/**
 * Parameters of a step besides its layers.
 *
 * @param batch samples per step
 * @param input shape of one sample
 * @param seed seed of random draws while building
 * @param optimizer optimizer of the weights
 * @param valueBytes bytes per activation or weight in computations
 */
public record SuiteOptions(int batch, List<Integer> input, long seed, Optimizer optimizer, int valueBytes) {
    public SuiteOptions {
        input = List.copyOf(input);
    }
}
