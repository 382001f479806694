package dev.stagesim.feature.suite.graph;

import dev.stagesim.settings.TfWorkload.Optimizer;
import java.util.List;

/**
 * What the operators of a step depend on besides the layers.
 *
 * @param batch samples of a step
 * @param input sizes of one sample as the first layer sees it
 * @param seed seed of draws while building
 * @param optimizer how weights change
 * @param valueBytes size of an activation or weight as computed with
 */
public record SuiteOptions(int batch, List<Integer> input, long seed, Optimizer optimizer, int valueBytes) {
    public SuiteOptions {
        input = List.copyOf(input);
    }
}
