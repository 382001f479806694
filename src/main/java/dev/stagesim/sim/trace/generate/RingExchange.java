package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.trace.generate.NodeBuilder.Message;
import java.util.List;
import java.util.Set;

/**
 * Every processor sends to the next and receives from the one before.
 *
 * @param bytes size of a message
 */
record RingExchange(long bytes) implements TracePattern {
    @Override
    public String name() {
        return "commNodesSingleSendSingleRecv." + bytes;
    }

    @Override
    public String doc() {
        return bytes + " bytes to the next processor and from the one before.";
    }

    @Override
    public boolean isUniform() {
        return false;
    }

    @Override
    public Set<Figure> figures() {
        return Set.of();
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        Ring ring = new Ring(options.numNpus());
        builder.send(NodeType.COMM_SEND_NODE.name(), new Message(npu, ring.after(npu), bytes, 0));
        builder.receive(NodeType.COMM_RECV_NODE.name(), new Message(ring.before(npu), npu, bytes, 0));
        return builder.nodes();
    }
}
