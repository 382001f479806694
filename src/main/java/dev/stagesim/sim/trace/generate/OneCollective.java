package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtNode;
import java.util.List;
import java.util.Set;

/**
 * One collective of all processors.
 *
 * @param nodeName name of the node
 */
record OneCollective(String name, String nodeName, CollectiveType type) implements TracePattern {
    @Override
    public String doc() {
        return "One " + type + " of all processors.";
    }

    @Override
    public Set<Figure> figures() {
        return type == CollectiveType.BARRIER ? Set.of(Figure.NUM_DIMS) : Set.of(Figure.COMM_SIZE, Figure.NUM_DIMS);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        builder.collective(nodeName, type, type == CollectiveType.BARRIER ? 0 : options.commSize());
        return builder.nodes();
    }
}
