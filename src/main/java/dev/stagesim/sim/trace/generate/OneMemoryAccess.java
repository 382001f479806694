package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.util.List;
import java.util.Set;

/** One access to remote memory. */
record OneMemoryAccess(String name, NodeType type) implements TracePattern {
    @Override
    public String doc() {
        return type == NodeType.MEM_LOAD_NODE ? "One load from remote memory." : "One store to remote memory.";
    }

    @Override
    public Set<Figure> figures() {
        return Set.of(Figure.TENSOR_SIZE);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        builder.memory(type);
        return builder.nodes();
    }
}
