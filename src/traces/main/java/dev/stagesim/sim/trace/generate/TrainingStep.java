package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.card.ModelSize;
import dev.stagesim.model.trace.CollectiveType;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.trace.generate.MicroBatchOrder.Pass;
import dev.stagesim.sim.trace.generate.NodeBuilder.Message;
import dev.stagesim.sim.trace.generate.TrainingCost.Part;
import dev.stagesim.sim.trace.generate.TrainingLayout.Kind;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;

/**
 * One processor's part of a training step.
 *
 * <p>Computations form a chain; communications depend on it. Communications of a processor become ready in the order of
 * their ids. Simulators that run one communication at a time therefore use the same order on all processors and cannot
 * deadlock.
 */
public final class TrainingStep {
    private static final long LOSS_BYTES = 4;

    private final TrainingOptions options;
    private final TrainingLayout layout;
    private final TrainingCost cost;
    private final RankNodes nodes;
    private final int stage;
    private final int firstLayer;
    private final int endLayer;
    private final List<Long> combined = new ArrayList<>();
    private final Map<Kind, Long> weights = new EnumMap<>(Kind.class);

    private TrainingStep(TrainingOptions options, int npu) {
        this.options = options;
        layout = new TrainingLayout(options);
        cost = new TrainingCost(options);
        nodes = new RankNodes(options, layout, npu);
        stage = layout.stage(npu);
        long layers = options.model().shape().numLayers();
        int stages = options.split().pp();
        firstLayer = (int) (layers * stage / stages);
        endLayer = (int) (layers * (stage + 1) / stages);
    }

    /** Returns the nodes of a processor, with ids from 0. */
    public static List<EtNode> nodes(TrainingOptions options, int npu) {
        TrainingStep step = new TrainingStep(options, npu);
        int stages = options.split().pp();
        for (Pass pass : options.schedule().passes(step.stage, stages, options.microBatches())) {
            if (pass.isForward()) {
                step.forward(pass);
            } else {
                step.backward(pass);
            }
        }
        step.update();
        return step.nodes.nodes();
    }

    private boolean isFirst() {
        return stage == 0;
    }

    private boolean isLast() {
        return stage == options.split().pp() - 1;
    }

    /** True if one copy of the embedding also serves as the output head. */
    private boolean sharesHead() {
        return isFirst() && isLast() && options.model().tieEmbeddings();
    }

    private void forward(Pass pass) {
        String suffix = ".fwd.mb" + pass.batch();
        if (isFirst()) {
            nodes.compute("embedding" + suffix, cost.embedding(), 1);
            sum("embedding.tp" + suffix);
        } else {
            nodes.receive("recv" + suffix, stage - 1, cost.activations(), pass);
        }
        for (int layer = firstLayer; layer < endLayer; layer++) {
            String name = "layer" + layer;
            nodes.compute(name + ".attention" + suffix, cost.attention(), 1);
            sum(name + ".attention.tp" + suffix);
            if (isMixture(layer)) {
                nodes.compute(name + ".router" + suffix, cost.shared(), 1);
                exchange(name + ".dispatch" + suffix);
                nodes.compute(name + ".experts" + suffix, cost.experts(), 1);
                exchange(name + ".combine" + suffix);
            } else {
                nodes.compute(name + ".ffn" + suffix, cost.feedForward(), 1);
            }
            sum(name + ".ffn.tp" + suffix);
        }
        if (isLast()) {
            nodes.compute("lm_head" + suffix, cost.head(), 1);
            long loss = (long) options.sequences() * options.tokens() * LOSS_BYTES;
            nodes.collective("loss.tp" + suffix, CollectiveType.ALL_REDUCE, loss, Kind.TENSOR);
        } else {
            nodes.send("send" + suffix, stage + 1, cost.activations(), pass);
        }
    }

    private void backward(Pass pass) {
        String suffix = ".bwd.mb" + pass.batch();
        boolean isFinal = pass.batch() == options.microBatches() - 1;
        if (isLast()) {
            long done = nodes.compute("lm_head" + suffix, cost.head(), 2);
            sum("lm_head.tp" + suffix);
            if (isFinal && !sharesHead()) {
                combine("lm_head", cost.head().weights(), Kind.DATA, done);
            }
        } else {
            nodes.receive("recv" + suffix, stage + 1, cost.activations(), pass);
        }
        for (int layer = endLayer - 1; layer >= firstLayer; layer--) {
            long done = layerBack("layer" + layer, layer, suffix);
            if (isFinal) {
                combineLayer("layer" + layer, layer, done);
            }
        }
        if (isFirst()) {
            long done = nodes.compute("embedding" + suffix, cost.embedding(), 1);
            if (isFinal) {
                combine("embedding", cost.embedding().weights(), Kind.DATA, done);
            }
        } else {
            nodes.send("send" + suffix, stage - 1, cost.activations(), pass);
        }
    }

    /** Backward pass of a layer: one product for the input gradient and one for the weight gradient. */
    private long layerBack(String name, int layer, String suffix) {
        if (isMixture(layer)) {
            exchange(name + ".combine" + suffix);
            nodes.compute(name + ".experts" + suffix, cost.experts(), 2);
            exchange(name + ".dispatch" + suffix);
            nodes.compute(name + ".router" + suffix, cost.shared(), 2);
        } else {
            nodes.compute(name + ".ffn" + suffix, cost.feedForward(), 2);
        }
        sum(name + ".ffn.tp" + suffix);
        long done = nodes.compute(name + ".attention" + suffix, cost.attention(), 2);
        sum(name + ".attention.tp" + suffix);
        return done;
    }

    private boolean isMixture(int layer) {
        return ModelSize.isMixture(options.model(), layer);
    }

    /** All-reduces activations over the tensor-parallel group. */
    private void sum(String name) {
        nodes.collective(name, CollectiveType.ALL_REDUCE, cost.activations(), Kind.TENSOR);
    }

    /** Exchanges tokens with the experts (all-to-all). */
    private void exchange(String name) {
        nodes.collective(name, CollectiveType.ALL_TO_ALL, cost.routed(), Kind.EXPERT);
    }

    private void combineLayer(String name, int layer, long after) {
        if (!isMixture(layer)) {
            combine(name, cost.attention().weights() + cost.feedForward().weights(), Kind.DATA, after);
            return;
        }
        combine(name, cost.attention().weights() + cost.shared().weights(), Kind.DATA, after);
        Kind kind = options.split().ep() > 1 ? Kind.EXPERT_DATA : Kind.DATA;
        combine(name + ".experts", cost.experts().weights(), kind, after);
    }

    /** Reduces gradients over the replicas; only the update waits for it. */
    private void combine(String name, long values, Kind kind, long after) {
        weights.merge(kind, values, Long::sum);
        if (layout.size(kind) > 1) {
            CollectiveType type = options.isSharded() ? CollectiveType.REDUCE_SCATTER : CollectiveType.ALL_REDUCE;
            combined.add(nodes.aside(name + ".grad", type, values * TrainingOptions.BYTES, kind, after));
        }
    }

    private void update() {
        if (layout.size(Kind.EMBEDDING) > 1 && (isFirst() || isLast())) {
            long bytes = cost.embedding().weights() * TrainingOptions.BYTES;
            combined.add(
                    nodes.aside("embedding.tied.grad", CollectiveType.ALL_REDUCE, bytes, Kind.EMBEDDING, nodes.last()));
        }
        combined.add(0, nodes.last());
        long own = 0;
        for (Map.Entry<Kind, Long> held : weights.entrySet()) {
            own += updated(held.getKey());
        }
        nodes.work(
                "optimizer",
                0,
                TrainingCost.updateBytes(own),
                combined.stream().mapToLong(Long::longValue).toArray());
        for (Kind kind : weights.keySet()) {
            if (options.isSharded()) {
                String name = kind == Kind.DATA ? "weights" : "weights.experts";
                nodes.collective(name, CollectiveType.ALL_GATHER, updated(kind) * TrainingOptions.BYTES, kind);
            }
        }
    }

    /** Weights that this processor updates: all its weights, or its shard. */
    private long updated(Kind kind) {
        return weights.getOrDefault(kind, 0L) / (options.isSharded() ? layout.size(kind) : 1);
    }

    /** Builds the nodes of one processor; each computation waits for the previous one. */
    private static final class RankNodes {
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

        /** Adds the computation of a model part, after the last computation and the last receive. */
        long compute(String name, Part part, int passes) {
            long received = arrived;
            arrived = NodeBuilder.ABSENT;
            return work(name, part.flops() * passes, part.bytes() * passes, last, received);
        }

        /** Adds work after the given parents. */
        long work(String name, double flops, double bytes, long... parents) {
            List<EtAttribute> attributes = NodeBuilder.onDevice(
                    EtAttribute.ofLong(EtNames.NUM_OPS, (long) flops),
                    EtAttribute.ofUnsigned(EtNames.TENSOR_SIZE, (long) bytes));
            last = builder.add(name, NodeType.COMP_NODE, options.device().micros(flops, bytes), attributes, parents);
            return last;
        }

        /** Last node of the computation chain. */
        long last() {
            return last;
        }

        /** Adds a collective before the next computation, if its group has more than one member. */
        void collective(String name, CollectiveType type, long bytes, Kind kind) {
            if (layout.size(kind) > 1) {
                last = aside(name, type, bytes, kind, last);
            }
        }

        /** Adds a collective in parallel with the computations. */
        long aside(String name, CollectiveType type, long bytes, Kind kind, long parent) {
            List<EtAttribute> attributes = NodeBuilder.onDevice(
                    EtAttribute.ofLong(EtNames.COMM_TYPE, type.number()),
                    EtAttribute.ofLong(EtNames.COMM_SIZE, bytes),
                    EtAttribute.ofText(EtNames.PG_NAME, Integer.toString(layout.group(kind, npu))));
            return builder.add(name, NodeType.COMM_COLL_NODE, 0, attributes, parent);
        }

        /** Sends the last result to the same position in another stage. */
        void send(String name, int stage, long bytes, MicroBatchOrder.Pass pass) {
            builder.send(name, new Message(npu, layout.inStage(npu, stage), bytes, tag(pass)), last);
        }

        /** Receives the input of the next computation; receives from the same stage are ordered. */
        void receive(String name, int stage, long bytes, MicroBatchOrder.Pass pass) {
            Message message = new Message(layout.inStage(npu, stage), npu, bytes, tag(pass));
            if (pass.isForward()) {
                lastForward = builder.receive(name, message, lastForward);
                arrived = lastForward;
            } else {
                lastBackward = builder.receive(name, message, lastBackward);
                arrived = lastBackward;
            }
        }

        private static int tag(MicroBatchOrder.Pass pass) {
            return 2 * pass.batch() + (pass.isForward() ? 1 : 0);
        }
    }
}
