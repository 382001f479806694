package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.trace.EtNode;
import dev.stagesim.sim.trace.generate.NodeBuilder.Message;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;

/** Micro-batches that are gathered up a binary tree to processor 0, computed on at every node, and spread down again. */
record TreePipeline() implements TracePattern {
    @Override
    public String name() {
        return "tree_pipeline";
    }

    @Override
    public String doc() {
        return "Micro-batches that go up a binary tree of processors and down again.";
    }

    @Override
    public boolean isUniform() {
        return false;
    }

    @Override
    public Set<Figure> figures() {
        return Set.of(Figure.RUNTIME, Figure.COMM_SIZE, Figure.MICRO_BATCHES);
    }

    @Override
    public List<EtNode> nodes(int npu, PatternOptions options) {
        NodeBuilder builder = new NodeBuilder(options);
        List<Integer> children = new ArrayList<>();
        for (int child = 2 * npu + 1; child <= 2 * npu + 2 && child < options.numNpus(); child++) {
            children.add(child);
        }
        int parent = (npu - 1) / 2;
        long computed = NodeBuilder.ABSENT;
        for (int batch = 0; batch < options.microBatches(); batch++) {
            List<Long> parents = new ArrayList<>(List.of(computed));
            for (int child : children) {
                parents.add(builder.receive("up.recv.mb" + batch, up(child, npu, batch, options)));
            }
            computed = builder.compute("up.compute.mb" + batch, options.runtime(), ids(parents));
            if (npu > 0) {
                builder.send("up.send.mb" + batch, up(npu, parent, batch, options), computed);
            }
        }
        for (int batch = 0; batch < options.microBatches(); batch++) {
            long arrived = npu == 0
                    ? NodeBuilder.ABSENT
                    : builder.receive("down.recv.mb" + batch, down(parent, npu, batch, options));
            computed = builder.compute("down.compute.mb" + batch, options.runtime(), computed, arrived);
            for (int child : children) {
                builder.send("down.send.mb" + batch, down(npu, child, batch, options), computed);
            }
        }
        return builder.nodes();
    }

    private static long[] ids(List<Long> ids) {
        return ids.stream().mapToLong(Long::longValue).toArray();
    }

    private static Message up(int source, int destination, int batch, PatternOptions options) {
        return new Message(source, destination, options.commSize(), 2 * batch);
    }

    private static Message down(int source, int destination, int batch, PatternOptions options) {
        return new Message(source, destination, options.commSize(), 2 * batch + 1);
    }
}
