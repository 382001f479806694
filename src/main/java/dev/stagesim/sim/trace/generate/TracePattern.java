package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtNode;
import java.util.List;
import java.util.Set;

/**
 * A family of traces, one per processor.
 *
 * @param name name on the command line, and begin of the file names
 * @param doc one sentence on what the traces do
 * @param isUniform whether all processors have the same nodes
 * @param maker makes the nodes of a processor
 * @param figures figures that the nodes depend on, besides the number of processors
 */
public record TracePattern(String name, String doc, boolean isUniform, Maker maker, Set<Figure> figures) {
    /** Makes the nodes of a processor. */
    @FunctionalInterface
    interface Maker {
        void make(NodeBuilder nodes, int npu, PatternOptions options);
    }

    /** A pattern in which all processors have the same nodes. */
    static TracePattern uniform(String name, String doc, Maker maker, Figure... figures) {
        return new TracePattern(name, doc, true, maker, Set.of(figures));
    }

    /** A pattern in which processors differ. */
    static TracePattern varied(String name, String doc, Maker maker, Figure... figures) {
        return new TracePattern(name, doc, false, maker, Set.of(figures));
    }

    /** Nodes of a processor in file order, with identities from 0 on. */
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder nodes = new NodeBuilder(options);
        maker.make(nodes, npu, options);
        return nodes.nodes();
    }
}
