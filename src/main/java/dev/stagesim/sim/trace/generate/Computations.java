package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtNode;
import java.util.List;
import java.util.Set;

/**
 * One or more computations.
 *
 * @param isChain whether each waits for the one before
 */
record Computations(String name, int count, boolean isChain) implements TracePattern {
    @Override
    public String doc() {
        return count == 1
                ? "One computation."
                : count + " computations" + (isChain ? ", one after the other." : " at once.");
    }

    @Override
    public Set<Figure> figures() {
        return Set.of(Figure.RUNTIME);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        long last = NodeBuilder.ABSENT;
        for (int i = 0; i < count; i++) {
            last = builder.compute("COMP_NODE", options.runtime(), isChain ? last : NodeBuilder.ABSENT);
        }
        return builder.nodes();
    }
}
