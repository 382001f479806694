package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.util.List;
import java.util.Set;

/**
 * A node without a type among computations, for simulators to prove themselves on.
 *
 * @param number which arrangement, 1 to 4
 */
record InvalidNodes(int number) implements TracePattern {
    @Override
    public String name() {
        return "invalidNodeCase" + number;
    }

    @Override
    public String doc() {
        return switch (number) {
            case 1 -> "A computation, then a node without a type.";
            case 2 -> "A computation, a node without a type, a computation.";
            case 3 -> "A node without a type, then a computation.";
            default -> "A node without a type, then two computations at once.";
        };
    }

    @Override
    public Set<Figure> figures() {
        return Set.of(Figure.RUNTIME);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        long first = NodeBuilder.ABSENT;
        if (number <= 2) {
            first = builder.compute("COMP_NODE", options.runtime());
        }
        long invalid = builder.add("INVALID_NODE", NodeType.INVALID_NODE, 0, List.of(), first);
        int after = number == 1 ? 0 : number == 4 ? 2 : 1;
        for (int i = 0; i < after; i++) {
            builder.compute("COMP_NODE", options.runtime(), invalid);
        }
        return builder.nodes();
    }
}
