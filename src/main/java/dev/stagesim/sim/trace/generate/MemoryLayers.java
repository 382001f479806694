package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.util.List;
import java.util.Set;

/** Layers whose weights are in remote memory: each is loaded while the one before computes, and its result is stored. */
record MemoryLayers() implements TracePattern {
    @Override
    public String name() {
        return "memory_layers";
    }

    @Override
    public String doc() {
        return "Layers that are loaded from remote memory ahead, computed, and stored.";
    }

    @Override
    public Set<Figure> figures() {
        return Set.of(Figure.RUNTIME, Figure.TENSOR_SIZE, Figure.LAYERS);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        long loaded = builder.memory(NodeType.MEM_LOAD_NODE);
        long computed = NodeBuilder.ABSENT;
        for (int layer = 0; layer < options.layers(); layer++) {
            long next =
                    layer + 1 < options.layers() ? builder.memory(NodeType.MEM_LOAD_NODE, loaded) : NodeBuilder.ABSENT;
            computed = builder.compute("layer" + layer, options.runtime(), loaded, computed);
            builder.memory(NodeType.MEM_STORE_NODE, computed);
            loaded = next;
        }
        return builder.nodes();
    }
}
