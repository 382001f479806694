package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtNode;
import java.util.List;
import java.util.Set;

/**
 * A family of traces, one trace per processor.
 *
 * @param name name on the command line and prefix of the file names
 * @param doc description in one sentence
 * @param isUniform true if all processors have the same nodes
 * @param maker creates the nodes of a processor
 * @param figures parameters with an effect on the nodes, besides the number of processors
 */
public record TracePattern(String name, String doc, boolean isUniform, Maker maker, Set<PatternParameter> figures) {
    /** Creates the nodes of a processor. */
    @FunctionalInterface
    interface Maker {
        void make(NodeBuilder nodes, int npu, PatternOptions options);
    }

    /** Creates a pattern with the same nodes on all processors. */
    static TracePattern uniform(String name, String doc, Maker maker, PatternParameter... figures) {
        return new TracePattern(name, doc, true, maker, Set.of(figures));
    }

    /** Creates a pattern with different nodes per processor. */
    static TracePattern varied(String name, String doc, Maker maker, PatternParameter... figures) {
        return new TracePattern(name, doc, false, maker, Set.of(figures));
    }

    /** Returns the nodes of a processor in file order, with ids from 0. */
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder nodes = new NodeBuilder(options);
        maker.make(nodes, npu, options);
        return nodes.nodes();
    }
}
