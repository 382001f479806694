package dev.stagesim.feature.pytorch.convert;

import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.SortedMap;

/**
 * A converted trace; its nodes are created lazily.
 *
 * @param metadata metadata of the trace
 * @param nodes nodes by ascending id; each iteration creates them again
 * @param size number of nodes
 * @param groups ranks of the process groups used by communications, by number
 * @param remarks notes for the user, one sentence each
 * @param simulation log of the trace's execution in microsecond steps, one line per event; computed on demand
 */
public record ConvertedTrace(
        EtMetadata metadata,
        Iterable<EtNode> nodes,
        int size,
        SortedMap<Integer, List<Integer>> groups,
        List<String> remarks,
        Iterable<String> simulation) {
    public ConvertedTrace {
        remarks = List.copyOf(remarks);
    }

    /** Returns all nodes as a list. */
    public List<EtNode> toList() {
        List<EtNode> list = new ArrayList<>(size);
        Iterator<EtNode> each = nodes.iterator();
        each.forEachRemaining(list::add);
        return list;
    }
}
