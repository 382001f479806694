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
 * @param microBatches micro-batches of the step, which pass through the pipeline in sequence
 * @param sequences sequences of a micro-batch
 * @param tokens tokens of a sequence
 * @param device compute rates of an accelerator
 * @param links links between accelerators
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
     * Links between accelerators.
     *
     * @param perNode accelerators of a node
     * @param intraNodeGbs bandwidth within a node, each way, in GB/s
     * @param interNodeGbs bandwidth between nodes in GB/s
     * @param intraNodeLatencyNs latency within a node in ns
     * @param interNodeLatencyNs latency between nodes in ns
     */
    public record Links(
            int perNode,
            double intraNodeGbs,
            double interNodeGbs,
            double intraNodeLatencyNs,
            double interNodeLatencyNs) {}

    /** Returns the number of participating accelerators. */
    public int devices() {
        return tp * pp * dp;
    }

    /** Returns the accelerators per node: the largest divisor of {@link #devices} that does not exceed a node. */
    public int inNode() {
        for (int count = Math.min(links.perNode(), devices()); count > 1; count--) {
            if (devices() % count == 0) {
                return count;
            }
        }
        return 1;
    }

    /** Returns the number of participating nodes. */
    public int nodes() {
        return devices() / inNode();
    }

    /** Returns true if each copy stores only a share of the optimiser state. */
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

    /** Returns the reason why the model cannot be trained with this configuration; empty if it can. */
    public Optional<String> whyInfeasible() {
        List<Problem> problems = options().problems("");
        return problems.stream().findFirst().map(problem -> problem.where() + " " + problem.what());
    }
}
