package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.trace.generate.NodeBuilder.Message;
import dev.stagesim.sim.trace.generate.TrainingCost.Part;
import dev.stagesim.sim.trace.generate.TrainingLayout.Kind;
import java.util.List;

/** The nodes of one processor in a training step while they are made; each computation waits for the one before. */
final class RankNodes {
    private final TrainingOptions options;
    private final TrainingLayout layout;
    private final int npu;
    private final NodeBuilder builder;
    private long last = NodeBuilder.ABSENT;
    private long arrived = NodeBuilder.ABSENT;
    private long lastForward = NodeBuilder.ABSENT;
    private long lastBackward = NodeBuilder.ABSENT;

    RankNodes(TrainingOptions options, TrainingLayout layout, int npu) {
        this.options = options;
        this.layout = layout;
        this.npu = npu;
        builder = new NodeBuilder(PatternOptions.reference(options.split().npus()));
    }

    List<EtNode> nodes() {
        return builder.nodes();
    }

    /** Adds work on a part of the model, after what was computed and what was received last. */
    long compute(String name, Part part, int passes) {
        long received = arrived;
        arrived = NodeBuilder.ABSENT;
        return work(name, part.flops() * passes, part.bytes() * passes, last, received);
    }

    /** Adds work after given nodes. */
    long work(String name, double flops, double bytes, long... parents) {
        List<EtAttribute> attributes = NodeBuilder.onDevice(
                EtAttribute.ofLong(EtNames.NUM_OPS, (long) flops),
                EtAttribute.ofUnsigned(EtNames.TENSOR_SIZE, (long) bytes));
        last = builder.add(name, NodeType.COMP_NODE, options.device().micros(flops, bytes), attributes, parents);
        return last;
    }

    /** The node that the next computation waits for. */
    long last() {
        return last;
    }

    /** Adds a collective that the next computation waits for, where its group has more than one member. */
    void collective(String name, CollectiveType type, long bytes, Kind kind) {
        if (layout.size(kind) > 1) {
            last = aside(name, type, bytes, kind, last);
        }
    }

    /** Adds a collective beside the computations. */
    long aside(String name, CollectiveType type, long bytes, Kind kind, long parent) {
        List<EtAttribute> attributes = NodeBuilder.onDevice(
                EtAttribute.ofLong(EtNames.COMM_TYPE, type.number()),
                EtAttribute.ofLong(EtNames.COMM_SIZE, bytes),
                EtAttribute.ofText(EtNames.PG_NAME, Integer.toString(layout.group(kind, npu))));
        return builder.add(name, NodeType.COMM_COLL_NODE, 0, attributes, parent);
    }

    /** Sends what was computed to the same place in another stage. */
    void send(String name, int stage, long bytes, PipelineSchedule.Pass pass) {
        builder.send(name, new Message(npu, layout.inStage(npu, stage), bytes, tag(pass)), last);
    }

    /** Receives what the next computation waits for, after what came the same way before. */
    void receive(String name, int stage, long bytes, PipelineSchedule.Pass pass) {
        Message message = new Message(layout.inStage(npu, stage), npu, bytes, tag(pass));
        if (pass.isForward()) {
            lastForward = builder.receive(name, message, lastForward);
            arrived = lastForward;
        } else {
            lastBackward = builder.receive(name, message, lastBackward);
            arrived = lastBackward;
        }
    }

    private static int tag(PipelineSchedule.Pass pass) {
        return 2 * pass.batch() + (pass.isForward() ? 1 : 0);
    }
}
