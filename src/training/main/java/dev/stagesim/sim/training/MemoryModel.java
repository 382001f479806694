package dev.stagesim.sim.training;

import dev.stagesim.sim.training.Strategy.Recompute;
import dev.stagesim.sim.training.schedule.PipelineSchedule;

/**
 * Memory of every rank of a pipeline, by part.
 *
 * <p>What tensors hold; slack of the allocator, buffers of collectives and the context of the device are not in it and are what a
 * reserve is for.
 */
public record MemoryModel(Architecture model, TrainingJob job) {
    /**
     * Bytes of a rank.
     *
     * @param weights weights, and those gathered from shards
     * @param optimizer optimizer states
     * @param activations what forward keeps for backward, in flight
     * @param working what the layer at work needs besides
     * @param head logits and their gradient
     */
    public record Rank(
            double weights, double gradients, double optimizer, double activations, double working, double head) {
        public double total() {
            return weights + gradients + optimizer + activations + working + head;
        }

        public double states() {
            return weights + gradients + optimizer;
        }
    }

    /** Dense and routed weights on the fullest rank, divided over tensor and expert parallelism but not over data. */
    static double[] heldWeights(Architecture model, Strategy s, Layout layout) {
        double[] most = new double[2];
        for (int rank = 0; rank < s.pipeline(); rank++) {
            double[] held = weightsOf(model, s, layout, rank);
            if (held[0] + held[1] > most[0] + most[1]) {
                most = held;
            }
        }
        return most;
    }

    /** Weights of a rank; under DualPipe those of the mirrored stage too. */
    private static double[] weightsOf(Architecture model, Strategy s, Layout layout, int rank) {
        double[] own = stageWeights(model, s, layout, rank);
        if (s.schedule().weightCopies() == 1) {
            return own;
        }
        double[] other = stageWeights(model, s, layout, s.pipeline() - 1 - rank);
        return new double[] {own[0] + other[0], own[1] + other[1]};
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
        double copies = Math.max(1, t / model.groups());
        double keys = model.hidden() * model.groups() * (model.keyWidth() + model.valueWidth());
        return (model.attentionWeights() + (copies - 1) * keys) / t;
    }

    /** The compressing projections are not divided. */
    private static double latentWeights(Architecture model, double t) {
        Architecture.Latent latent = model.latent();
        double whole = model.hidden() * (latent.query() + latent.keyValue() + latent.position());
        return whole + (model.attentionWeights() - whole) / t;
    }

    public Rank fullest(Strategy s, Layout layout) {
        Rank most = rank(s, layout, 0);
        for (int i = 1; i < s.pipeline(); i++) {
            Rank other = rank(s, layout, i);
            most = other.total() > most.total() ? other : most;
        }
        return most;
    }

    /** States alone of the fullest rank: what no recomputation helps against. */
    public double states(Strategy s, Layout layout) {
        double most = 0;
        for (int i = 0; i < s.pipeline(); i++) {
            most = Math.max(most, states(s, weightsOf(model, s, layout, i)).states());
        }
        return most;
    }

    private Rank states(Strategy s, double[] held) {
        double dense = Math.min(s.shardGroup(), s.replicas());
        double expert = s.expertShards();
        double all = held[0] + held[1];
        double shared = held[0] / dense + held[1] / expert;
        if (job.isFloatMaster()) {
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
                job.heldGradientBytes() * (s.zero() >= 2 ? shared : all),
                (job.optimizerBytes() + job.copiedGradientBytes()) * (s.zero() >= 1 ? shared : all),
                0,
                0,
                0);
    }

    /** Memory of one rank, by part. */
    public Rank rank(Strategy s, Layout layout, int rank) {
        double[] held = weightsOf(model, s, layout, rank);
        Rank states = states(s, held);
        int layers = 0;
        double kept = 0;
        double rows = (double) s.microBatch() * job.sequence() / s.context();
        double dense = layer(s, false);
        double mixture = model.isMixture() ? layer(s, true) : 0;
        for (int chunk = 0; chunk < layout.stages() / s.pipeline(); chunk++) {
            int stage = s.stage(rank, chunk);
            int mixtures = layout.mixtures(model, stage);
            layers += layout.layers(stage);
            kept += (layout.layers(stage) - mixtures) * kept(s, false, dense) + mixtures * kept(s, true, mixture);
        }
        boolean isLast = rank == s.lastRank();
        double head =
                isLast ? rows * model.vocabulary() / s.tensor() * job.kept().logitBytes() : 0;
        boolean recomputes = s.recompute().ordinal() >= Recompute.OPERATORS.ordinal();
        double working = recomputes ? rows * Math.max(dense, mixture) : 0;
        double gathered = 0;
        if (s.zero() == 3) {
            double sharded = (s.shardGroup() > 1 ? held[0] : 0) + (s.expertShards() > 1 ? held[1] : 0);
            gathered = 2 * job.gatheredBytes() * sharded / Math.max(1, layers);
        }
        double ids = rank == 0 ? 8 * rows : 0;
        double flight = inFlight(s, rank);
        double sent = job.kept().sharding() == TrainingJob.Sharding.DEEPSPEED && !isLast
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

    /** Micro-batches of a whole rank whose activations are held. */
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

    private double kept(Strategy s, boolean isMixture, double all) {
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

    /** Outputs that the operator policy keeps: of attention, reduce-scatters, and of query, value, gate (or up) and down. */
    private double operators(Strategy s) {
        double t = s.tensor();
        double h = model.hidden();
        double bytes = 2 * model.heads() * model.valueWidth() / t + (s.isSequence() ? 4 * h / t : 0);
        if (job.precision() != TrainingMachine.Precision.BITS16) {
            return bytes;
        }
        double values = Math.max(model.groups() / t, 1) * model.valueWidth();
        double down = model.matrices() > 2 ? h : 0;
        return bytes + 2 * (model.heads() * model.keyWidth() / t + values + model.feedForward() / t + down);
    }

    /** Bytes of an element that is kept as the input of a product: one where products run in 8 or 4 bits. */
    private double operandBytes() {
        return job.precision() == TrainingMachine.Precision.BITS16 ? 2 : 1;
    }

    /** Bytes of an input of an activation function. */
    private double inputBytes() {
        return job.kept().hasLowActivations() ? 1 : 2;
    }

    /** Outputs of norms and activation functions, and of latent attention queries, keys and values as expanded. */
    private double pointwise(Strategy s, boolean isMixture) {
        double t = s.tensor();
        double operand = operandBytes();
        Architecture.Mixture moe = model.mixture();
        double wide = isMixture ? moe.perToken() * moe.width() + moe.sharedWidth() : model.feedForward();
        double latent = model.isLatent() ? 2 * model.heads() * (2 * model.keyWidth() + model.valueWidth()) / t : 0;
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

    /** Bytes that a layer keeps for a token. */
    private double layer(Strategy s, boolean isMixture) {
        double t = s.tensor();
        double h = model.hidden();
        double q = s.isSequence() ? t : 1;
        double groups = Math.max(model.groups() / t, 1);
        double operand = operandBytes();
        double bytes = (4 + 2 * operand) * h / q + operand * model.heads() * model.valueWidth() / t;
        if (model.isLatent()) {
            Architecture.Latent latent = model.latent();
            bytes += 2 * model.heads() * (2 * model.keyWidth() + model.valueWidth()) / t
                    + 4 * latent.query()
                    + 4 * latent.keyValue()
                    + 2 * latent.position();
        } else {
            bytes += 2 * (model.heads() * model.keyWidth() / t + groups * (model.keyWidth() + model.valueWidth()));
        }
        if (!job.isFlash() && s.recompute() != Recompute.SELECTIVE) {
            bytes += 5 * model.heads() * job.sequence() / t;
        }
        if (!job.isFlash()) {
            // Dropout masks, which models without fused attention had.
            bytes += 2 * h / q;
        }
        return bytes + modules(s, isMixture) + (isMixture ? 4 * model.mixture().experts() : 0);
    }
}
