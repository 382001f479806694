package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtNode;
import java.util.List;
import java.util.Set;

/** A family of traces, one per processor. */
public interface TracePattern {
    /** Name on the command line, and begin of the file names. */
    String name();

    /** One sentence on what the traces do. */
    String doc();

    /**
     * Nodes of a processor.
     *
     * @return nodes with identities from 0 on in file order
     */
    List<EtNode> nodes(int npu, PatternOptions options);

    /** Figures that the nodes depend on, besides the number of processors. */
    Set<Figure> figures();

    /** Whether all processors have the same nodes. */
    default boolean isUniform() {
        return true;
    }
}
