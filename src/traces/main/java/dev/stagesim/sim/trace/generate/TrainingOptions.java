package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.Problem;
import dev.stagesim.model.card.ModelCard;
import java.util.ArrayList;
import java.util.List;

/**
 * Parameters of one transformer training step.
 *
 * @param sequences sequences per micro-batch
 * @param tokens tokens per sequence
 * @param schedule order of micro-batches in the pipeline
 * @param device speed of a processor
 * @param isSharded true if the optimizer state is sharded over the data-parallel processors
 */
public record TrainingOptions(
        ModelCard model,
        Split split,
        int microBatches,
        int sequences,
        int tokens,
        MicroBatchOrder schedule,
        Device device,
        boolean isSharded) {
    /** Bytes per value of weights, activations and gradients. */
    static final long BYTES = 2;

    /**
     * Parallelism of the model.
     *
     * @param tp tensor-parallel size
     * @param pp number of pipeline stages
     * @param dp number of replicas
     * @param ep number of replicas that share the experts of a layer
     */
    public record Split(int tp, int pp, int dp, int ep) {
        public int npus() {
            return Math.multiplyExact(Math.multiplyExact(tp, pp), dp);
        }
    }

    /**
     * Speed of a processor.
     *
     * @param flopsPerMicro floating-point operations per microsecond
     * @param bytesPerMicro memory traffic in bytes per microsecond
     */
    public record Device(double flopsPerMicro, double bytesPerMicro) {
        /** Time for an amount of work in whole microseconds, at least 1. */
        long micros(double flops, double bytes) {
            return Math.max(1, (long) Math.ceil(Math.max(flops / flopsPerMicro, bytes / bytesPerMicro)));
        }
    }

    /** Returns the invalid combinations of options, named by their keys below {@code where}. */
    public List<Problem> problems(String where) {
        List<Problem> problems = new ArrayList<>();
        check(
                problems,
                where + "parallelism.tp",
                model.shape().numHeads() % split.tp() == 0,
                "does not divide the model's " + model.shape().numHeads() + " heads");
        check(
                problems,
                where + "parallelism.pp",
                model.shape().numLayers() >= split.pp(),
                "is more than the model's " + model.shape().numLayers() + " layers");
        check(problems, where + "parallelism.ep", split.dp() % split.ep() == 0, "does not divide dp=" + split.dp());
        int experts = model.experts().numExperts().orElse(1);
        check(
                problems,
                where + "parallelism.ep",
                split.ep() == 1 || (model.isMixtureOfExperts() && experts % split.ep() == 0),
                model.isMixtureOfExperts()
                        ? "does not divide the model's " + experts + " experts"
                        : "has no effect: the model has no experts");
        check(
                problems,
                where + "training.sequence",
                tokens <= model.maxPosition(),
                "is more than the model's " + model.maxPosition() + " tokens");
        return problems;
    }

    private static void check(List<Problem> problems, String where, boolean holds, String what) {
        if (!holds) {
            problems.add(Problem.config(where, what));
        }
    }
}
