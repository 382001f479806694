package dev.stagesim.sim.trace.generate;

import dev.stagesim.model.ModelCard;
import dev.stagesim.model.Problem;
import java.util.ArrayList;
import java.util.List;

/**
 * One training step of a transformer.
 *
 * @param sequences sequences of a micro-batch
 * @param tokens tokens of a sequence
 * @param schedule order of micro-batches in the pipeline
 * @param device how fast a processor is
 * @param isSharded whether data-parallel processors keep a share of the optimizer's state each
 */
public record TrainingOptions(
        ModelCard model,
        Split split,
        int microBatches,
        int sequences,
        int tokens,
        PipelineSchedule schedule,
        Device device,
        boolean isSharded) {
    /** Bytes of a value of weights, activations and gradients. */
    static final long BYTES = 2;

    /**
     * How a model is spread over processors.
     *
     * @param tp processors that share each layer's weights
     * @param pp stages of the pipeline
     * @param dp copies of the model
     * @param ep processors, out of the copies, that share the experts of a layer
     */
    public record Split(int tp, int pp, int dp, int ep) {
        public int npus() {
            return Math.multiplyExact(Math.multiplyExact(tp, pp), dp);
        }
    }

    /**
     * How fast a processor is.
     *
     * @param flopsPerMicro floating-point operations that it does in a microsecond
     * @param bytesPerMicro bytes that it moves to or from its memory in a microsecond
     */
    public record Device(double flopsPerMicro, double bytesPerMicro) {
        /** Whole microseconds for an amount of work, at least one. */
        long micros(double flops, double bytes) {
            return Math.max(1, (long) Math.ceil(Math.max(flops / flopsPerMicro, bytes / bytesPerMicro)));
        }
    }

    /** What cannot be, by the key below {@code where} that is wrong. */
    public List<Problem> problems(String where) {
        List<Problem> problems = new ArrayList<>();
        check(
                problems,
                where + "parallelism.tp",
                model.numHeads() % split.tp() == 0,
                "does not divide the model's " + model.numHeads() + " heads");
        check(
                problems,
                where + "parallelism.pp",
                model.numLayers() >= split.pp(),
                "is more than the model's " + model.numLayers() + " layers");
        check(problems, where + "parallelism.ep", split.dp() % split.ep() == 0, "does not divide dp=" + split.dp());
        int experts = model.numExperts().orElse(1);
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
