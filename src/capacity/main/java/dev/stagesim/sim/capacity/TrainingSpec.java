package dev.stagesim.sim.capacity;

import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.trace.generate.MicroBatchOrder;
import dev.stagesim.sim.trace.generate.TrainingOptions;
import java.util.List;
import java.util.Optional;

/**
 * A training step on nodes of equal accelerators.
 *
 * @param model the transformer
 * @param tp accelerators that share a layer
 * @param pp groups of accelerators that share the layers
 * @param dp copies of the model
 * @param microBatches micro-batches of the step, one after the other through the pipeline
 * @param sequences sequences of a micro-batch
 * @param tokens tokens of a sequence
 * @param device how fast an accelerator computes
 * @param links how accelerators are linked
 */
public record TrainingSpec(
        ModelCard model,
        int tp,
        int pp,
        int dp,
        int microBatches,
        int sequences,
        int tokens,
        TrainingOptions.Device device,
        Links links) {
    /**
     * Links of accelerators.
     *
     * @param perNode accelerators of a node
     * @param intraNodeGbs bandwidth within a node, each way, in GB/s
     * @param interNodeGbs bandwidth between nodes
     * @param intraNodeLatencyNs latency within a node in ns
     * @param interNodeLatencyNs latency between nodes
     */
    public record Links(
            int perNode,
            double intraNodeGbs,
            double interNodeGbs,
            double intraNodeLatencyNs,
            double interNodeLatencyNs) {}

    /** Accelerators that take part. */
    public int devices() {
        return tp * pp * dp;
    }

    /** Accelerators of a node that take part: the most that divide all of them. */
    public int inNode() {
        for (int count = Math.min(links.perNode(), devices()); count > 1; count--) {
            if (devices() % count == 0) {
                return count;
            }
        }
        return 1;
    }

    /** Nodes that take part. */
    public int nodes() {
        return devices() / inNode();
    }

    /** Whether copies keep a share of the optimiser's state each. */
    public boolean isSharded() {
        return dp > 1;
    }

    TrainingOptions options() {
        return new TrainingOptions(
                model,
                new TrainingOptions.Split(tp, pp, dp, 1),
                microBatches,
                sequences,
                tokens,
                MicroBatchOrder.ONE_F_ONE_B,
                device,
                isSharded());
    }

    /** Why the model cannot be trained so; empty when it can. */
    public Optional<String> misfit() {
        List<Problem> problems = options().problems("");
        return problems.stream().findFirst().map(problem -> problem.where() + " " + problem.what());
    }
}
