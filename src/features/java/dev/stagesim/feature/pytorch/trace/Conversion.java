package dev.stagesim.feature.pytorch.trace;

import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;

/**
 * A converted trace, whose nodes are made as they are asked for.
 *
 * @param metadata what the trace says about itself
 * @param nodes nodes by ascending identity; each iteration makes them anew
 * @param size number of nodes
 * @param groups ranks of the process groups that communications name, by number
 * @param remarks what a person should know, one sentence each
 * @param simulation the trace's run in steps of a microsecond, one line an event; made when asked for
 */
public record Conversion(
        EtMetadata metadata,
        Iterable<EtNode> nodes,
        int size,
        SortedMap<Integer, List<Integer>> groups,
        List<String> remarks,
        Iterable<String> simulation) {
    public Conversion {
        remarks = List.copyOf(remarks);
    }

    /** The nodes in a list. */
    public List<EtNode> toList() {
        List<EtNode> list = new ArrayList<>(size);
        Iterator<EtNode> each = nodes.iterator();
        each.forEachRemaining(list::add);
        return list;
    }
}
