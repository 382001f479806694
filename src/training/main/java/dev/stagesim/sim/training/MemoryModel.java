package dev.stagesim.sim.training;

import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.schedule.PipelineSchedule;

/**
 * Memory of the tensors on each rank of a pipeline.
 *
 * <p>Allocator fragmentation, communication buffers and the device context are not included; see {@link TrainingMachine#reserve}.
 */
public record MemoryModel(Architecture model, TrainingJob job) {
    /**
     * Bytes of a rank.
     *
     * @param weights weights, including temporarily gathered shards
     * @param gradients accumulated gradients
     * @param optimizer optimizer states
     * @param activations activations kept for the backward pass by all micro-batches in flight
     * @param working temporary memory of the layer being recomputed
     * @param head logits and their gradients
     */
    public record Rank(
            double weights, double gradients, double optimizer, double activations, double working, double head) {
        public double total() {
            return weights + gradients + optimizer + activations + working + head;
        }

        double states() {
            return weights + gradients + optimizer;
        }
    }

    /** Returns the dense and the expert weights of the rank with most weights, before sharding over data-parallel replicas. */
    static double[] maxRankWeights(Architecture model, Strategy s, Layout layout) {
        double[] largest = new double[2];
        for (int rank = 0; rank < s.pipeline(); rank++) {
            double[] weights = weightsOf(model, s, layout, rank);
            if (weights[0] + weights[1] > largest[0] + largest[1]) {
                largest = weights;
            }
        }
        return largest;
    }

    /** Returns the dense and expert weights of a rank. With DualPipe a rank also stores the mirrored stage. */
    private static double[] weightsOf(Architecture model, Strategy s, Layout layout, int rank) {
        double[] weights = stageWeights(model, s, layout, rank);
        if (s.schedule().weightCopies() == 1) {
            return weights;
        }
        double[] other = stageWeights(model, s, layout, s.pipeline() - 1 - rank);
        return new double[] {weights[0] + other[0], weights[1] + other[1]};
    }

    private static double[] stageWeights(Architecture model, Strategy s, Layout layout, int rank) {
        int layers = 0;
        int mixtures = 0;
        for (int chunk = 0; chunk < layout.stages() / s.pipeline(); chunk++) {
            layers += layout.layers(s.stage(rank, chunk));
            mixtures += layout.mixtures(model, s.stage(rank, chunk));
        }
        double t = s.tensor();
        double attention = model.isLatent() ? latentWeights(model, t) : groupedWeights(model, t);
        double dense = layers * (attention + 2 * model.hidden())
                + (layers - mixtures) * model.denseWeights() / t
                + mixtures * (model.sharedWeights() / t + model.routerWeights());
        double vocabulary = model.vocabularyWeights() / t;
        boolean isFirst = rank == 0;
        boolean isLast = rank == s.lastRank();
        dense += isFirst ? vocabulary : 0;
        dense += isLast && !(isFirst && model.isTied()) ? vocabulary + model.hidden() : 0;
        double experts =
                mixtures * model.mixture().experts() * model.expertWeights() / ((double) s.expert() * s.expertTensor());
        return new double[] {dense, experts};
    }

    private static double groupedWeights(Architecture model, double t) {
        double copies = Math.max(1, t / model.attention().groups());
        double keys = model.hidden()
                * model.attention().groups()
                * (model.attention().keyWidth() + model.attention().valueWidth());
        return (model.attentionWeights() + (copies - 1) * keys) / t;
    }

    /** Returns the attention weights per device. Tensor parallelism does not divide the down-projections. */
    private static double latentWeights(Architecture model, double t) {
        Architecture.Latent latent = model.attention().latent();
        double whole = model.hidden() * (latent.query() + latent.keyValue() + latent.position());
        return whole + (model.attentionWeights() - whole) / t;
    }

    public Rank fullest(Strategy s, Layout layout) {
        Rank fullest = rank(s, layout, 0);
        for (int i = 1; i < s.pipeline(); i++) {
            Rank other = rank(s, layout, i);
            fullest = other.total() > fullest.total() ? other : fullest;
        }
        return fullest;
    }

    /** Returns the maximum of weights, gradients and optimizer states over all ranks, which recomputation cannot reduce. */
    double states(Strategy s, Layout layout) {
        double largest = 0;
        for (int i = 0; i < s.pipeline(); i++) {
            largest =
                    Math.max(largest, states(s, weightsOf(model, s, layout, i)).states());
        }
        return largest;
    }

    private Rank states(Strategy s, double[] weights) {
        double dense = Math.min(s.shardGroup(), s.replicas());
        double expert = s.expertShards();
        double all = weights[0] + weights[1];
        double shared = weights[0] / dense + weights[1] / expert;
        if (job.storage().isFloatMaster()) {
            return new Rank(
                    4 * (s.zero() == 3 ? shared : all),
                    4 * (s.zero() >= 2 ? shared : all),
                    8 * (s.zero() >= 1 ? shared : all),
                    0,
                    0,
                    0);
        }
        return new Rank(
                job.weightBytes() * (s.zero() == 3 ? shared : all),
                job.replicaGradientBytes() * (s.zero() >= 2 ? shared : all),
                (job.optimizerBytes() + job.copiedGradientBytes()) * (s.zero() >= 1 ? shared : all),
                0,
                0,
                0);
    }

    /** Returns the memory of one rank. */
    public Rank rank(Strategy s, Layout layout, int rank) {
        double[] weights = weightsOf(model, s, layout, rank);
        Rank states = states(s, weights);
        int layers = 0;
        double kept = 0;
        double rows = (double) s.microBatch() * job.sequence() / s.context();
        double dense = layer(s, false);
        double mixture = model.isMixture() ? layer(s, true) : 0;
        for (int chunk = 0; chunk < layout.stages() / s.pipeline(); chunk++) {
            int stage = s.stage(rank, chunk);
            int mixtures = layout.mixtures(model, stage);
            layers += layout.layers(stage);
            kept += (layout.layers(stage) - mixtures) * activationBytes(s, false, dense)
                    + mixtures * activationBytes(s, true, mixture);
        }
        boolean isLast = rank == s.lastRank();
        double head =
                isLast ? rows * model.vocabulary() / s.tensor() * job.storage().logitBytes() : 0;
        boolean recomputes = s.recompute().ordinal() >= Recompute.OPERATORS.ordinal();
        double working = recomputes ? rows * Math.max(dense, mixture) : 0;
        double gathered = 0;
        if (s.zero() == 3) {
            double sharded = (s.shardGroup() > 1 ? weights[0] : 0) + (s.expertShards() > 1 ? weights[1] : 0);
            gathered = 2 * job.gatheredBytes() * sharded / Math.max(1, layers);
        }
        double ids = rank == 0 ? 8 * rows : 0;
        double flight = inFlight(s, rank);
        double sent = job.storage().sharding() == TrainingJob.Sharding.DEEPSPEED && !isLast
                ? 2 * model.hidden() / (s.isSequence() ? s.tensor() : 1.0)
                : 0;
        return new Rank(
                states.weights() + gathered,
                states.gradients(),
                states.optimizer(),
                flight * (rows * (kept + sent) + ids),
                working,
                head);
    }

    /** Returns the maximum number of micro-batches in flight on a rank, counting all its stages as one. */
    private double inFlight(Strategy s, int rank) {
        int p = s.pipeline();
        int m = Math.max(1, s.microBatches(job.globalBatch()));
        PipelineSchedule schedule = s.schedule();
        return switch (schedule) {
            case GPIPE -> m;
            case INTERLEAVED ->
                p == 1 ? 1 : Math.min(m, (2.0 * (p - rank - 1) + (s.virtual() - 1) * p + 1) / s.virtual());
            case ZB_H1, ZB_V -> Math.min(m, p);
            case ZB_H2 -> Math.min(m, 2 * p - 1);
            case V_HALF -> Math.min(m, p / 2.0 + 1);
            case V_MIN -> Math.min(m, p / 3.0 + 2);
            case DUALPIPE, DUALPIPE_V -> Math.min(m, p + 1);
            default -> Math.min(m, p - rank);
        };
    }

    /** Returns the bytes per token that a layer stores for the backward pass, given the bytes without recomputation. */
    private double activationBytes(Strategy s, boolean isMixture, double all) {
        double q = s.isSequence() ? s.tensor() : 1;
        double input = 2 * model.hidden() / q;
        return switch (s.recompute()) {
            case FULL -> input;
            case HALF -> (input + all) / 2;
            case POINTWISE -> all - pointwise(s, isMixture);
            case MODULES -> all - modules(s, isMixture);
            case OPERATORS -> input + operators(s);
            default -> all;
        };
    }

    /**
     * Returns the bytes per token that the operator policy keeps: the outputs of attention, of reduce-scatters, and of the query, value, gate
     * (or up) and down projections.
     */
    private double operators(Strategy s) {
        double t = s.tensor();
        double h = model.hidden();
        double bytes =
                2 * model.attention().heads() * model.attention().valueWidth() / t + (s.isSequence() ? 4 * h / t : 0);
        if (job.precision() != TrainingMachine.Precision.BITS16) {
            return bytes;
        }
        double values =
                Math.max(model.attention().groups() / t, 1) * model.attention().valueWidth();
        double down = model.matrices() > 2 ? h : 0;
        return bytes
                + 2
                        * (model.attention().heads() * model.attention().keyWidth() / t
                                + values
                                + model.feedForward() / t
                                + down);
    }

    /** Returns the bytes per value of a kept product input: 1 if products run in 8 or 4 bits. */
    private double operandBytes() {
        return job.precision() == TrainingMachine.Precision.BITS16 ? 2 : 1;
    }

    /** Returns the bytes per value of a kept activation-function input. */
    private double inputBytes() {
        return job.storage().hasLowActivations() ? 1 : 2;
    }

    /** Returns the bytes per token of outputs of norms and activation functions, and of expanded latent queries, keys and values. */
    private double pointwise(Strategy s, boolean isMixture) {
        double t = s.tensor();
        double operand = operandBytes();
        Architecture.Mixture moe = model.mixture();
        double wide = isMixture ? moe.perToken() * moe.width() + moe.sharedWidth() : model.feedForward();
        double latent = model.isLatent()
                ? 2
                        * model.attention().heads()
                        * (2 * model.attention().keyWidth() + model.attention().valueWidth())
                        / t
                : 0;
        return 2 * operand * model.hidden() / (s.isSequence() ? t : 1) + operand * wide / t + latent;
    }

    private double modules(Strategy s, boolean isMixture) {
        Architecture.Mixture moe = model.mixture();
        return isMixture
                ? operandBytes() * moe.perToken() * model.hidden() * s.expertTensor() / s.tensor()
                        + (inputBytes() * (model.matrices() - 1) + operandBytes())
                                * (moe.perToken() * moe.width() + moe.sharedWidth())
                                / s.tensor()
                : (inputBytes() * (model.matrices() - 1) + operandBytes()) * model.feedForward() / s.tensor();
    }

    /** Returns the bytes per token that a layer keeps without recomputation. */
    private double layer(Strategy s, boolean isMixture) {
        double t = s.tensor();
        double h = model.hidden();
        double q = s.isSequence() ? t : 1;
        double groups = Math.max(model.attention().groups() / t, 1);
        double operand = operandBytes();
        double bytes = (4 + 2 * operand) * h / q
                + operand * model.attention().heads() * model.attention().valueWidth() / t;
        if (model.isLatent()) {
            Architecture.Latent latent = model.attention().latent();
            bytes += 2
                            * model.attention().heads()
                            * (2 * model.attention().keyWidth()
                                    + model.attention().valueWidth())
                            / t
                    + 4 * latent.query()
                    + 4 * latent.keyValue()
                    + 2 * latent.position();
        } else {
            bytes += 2
                    * (model.attention().heads() * model.attention().keyWidth() / t
                            + groups
                                    * (model.attention().keyWidth()
                                            + model.attention().valueWidth()));
        }
        if (!job.kernels().isFlash() && s.recompute() != Recompute.SELECTIVE) {
            bytes += 5 * model.attention().heads() * job.sequence() / t;
        }
        if (!job.kernels().isFlash()) {
            // Dropout masks: models without fused attention used dropout.
            bytes += 2 * h / q;
        }
        return bytes + modules(s, isMixture) + (isMixture ? 4 * model.mixture().experts() : 0);
    }
}
