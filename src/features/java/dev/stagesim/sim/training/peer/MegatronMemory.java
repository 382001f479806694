package dev.stagesim.sim.training.peer;

import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.ArrayList;
import java.util.List;
import java.util.OptionalLong;

/** The theoretical memory report of Megatron-LM (d98e8a64), with the lines it prints. */
public final class MegatronMemory {
    private static final double MIB = 1 << 20;
    private static final double BILLION = 1e9;

    private final Arguments in;
    private final OptionalLong microBatches;
    private final List<String> lines = new ArrayList<>();

    /**
     * Command-line arguments that the report reads; an empty option is one not given.
     *
     * @param attention attention of a layer
     * @param experts mixture of experts
     * @param parallel degrees
     * @param hidden width of the residual stream
     * @param feedForward width of the dense feed-forward network
     * @param isGated gated feed-forward
     * @param isRmsNorm norms without bias
     * @param vocabulary padded vocabulary
     * @param isUntied head of its own
     * @param mtpLayers layers that predict further tokens
     * @param sequence tokens of a sequence
     * @param microBatch sequences of a micro-batch
     * @param isSelective selective recomputation
     */
    public record Arguments(
            Attention attention,
            Experts experts,
            Parallel parallel,
            long hidden,
            int layers,
            long feedForward,
            boolean isGated,
            boolean isRmsNorm,
            long vocabulary,
            boolean isUntied,
            OptionalLong mtpLayers,
            long sequence,
            long microBatch,
            boolean isSelective) {}

    /**
     * Attention of a layer.
     *
     * @param heads query heads
     * @param headSize width of a head
     * @param groups key-value heads; the query heads where they are not grouped
     * @param isLatent latent attention, which the ranks describe
     * @param queryRank rank of the query projection, where it has one
     * @param rank rank of keys and values
     * @param keySize width of a key without position
     * @param positionSize width of the position part
     * @param valueSize width of a value
     */
    public record Attention(
            long heads,
            long headSize,
            long groups,
            boolean isLatent,
            OptionalLong queryRank,
            long rank,
            long keySize,
            long positionSize,
            long valueSize) {}

    /**
     * A mixture of experts.
     *
     * @param count routed experts; empty for a dense model
     * @param width feed-forward width of an expert
     * @param sharedWidth width of the shared expert; empty when there is none
     * @param latent width that tokens are projected to before the experts; empty when they are not
     * @param topK experts of a token
     * @param pattern which layers are mixtures
     * @param hasBias linear layers have biases
     * @param hasSharedGate the shared expert has a gate
     */
    public record Experts(
            OptionalLong count,
            long width,
            OptionalLong sharedWidth,
            OptionalLong latent,
            long topK,
            boolean[] pattern,
            boolean hasBias,
            boolean hasSharedGate) {
        long mixtureLayers() {
            long layers = 0;
            for (boolean isMixture : pattern) {
                layers += isMixture ? 1 : 0;
            }
            return layers;
        }
    }

    /**
     * Degrees of parallelism.
     *
     * @param tensor tensor parallelism
     * @param pipeline pipeline parallelism
     * @param virtual stages of a rank; empty when not interleaved
     * @param data data parallelism
     * @param expertTensor tensor parallelism of experts
     * @param expert expert parallelism
     * @param world all devices
     * @param isSequence sequence parallelism
     * @param isDistributed distributed optimizer
     */
    public record Parallel(
            long tensor,
            long pipeline,
            OptionalLong virtual,
            long data,
            long expertTensor,
            long expert,
            long world,
            boolean isSequence,
            boolean isDistributed) {}

    /**
     * The report.
     *
     * @param statesMib MiB of weights, gradients and optimizer on the fullest shard
     * @param usesSequenceFormula whether the activation formula with sequence parallelism applied
     * @param lines what is printed
     */
    public record Report(double statesMib, double activationMib, boolean usesSequenceFormula, List<String> lines) {
        public Report {
            lines = List.copyOf(lines);
        }

        public double totalMib() {
            return statesMib + activationMib;
        }
    }

    private MegatronMemory(Arguments in, OptionalLong microBatches) {
        this.in = in;
        this.microBatches = microBatches;
    }

    /** The report; {@code microBatches} is empty when it is not known. */
    public static Report report(Arguments in, OptionalLong microBatches) {
        return new MegatronMemory(in, microBatches).report();
    }

    private Report report() {
        double states = new States().bytes() / MIB;
        boolean isSequence = in.parallel.isSequence && in.isSelective;
        double activations = (isSequence ? activationsWithSequence() : activationsWithoutSequence()) / MIB;
        line(
                "Theoretical memory footprints: weight and optimizer={} MB, activation={} MB, total={} MB",
                fixed(states, 2),
                fixed(activations, 2),
                fixed(states + activations, 2));
        lines.add("");
        return new Report(states, activations, isSequence, lines);
    }

    /** Adds a line with {@code {}} for each text. */
    private void line(String format, String... values) {
        String text = format;
        for (String value : values) {
            text = text.replaceFirst("\\{}", value);
        }
        lines.add(text);
    }

    /** The exact value rounded to a number of decimals, ties to even, as Python prints it. */
    private static String fixed(double value, int decimals) {
        return new BigDecimal(value).setScale(decimals, RoundingMode.HALF_EVEN).toPlainString();
    }

    private static String billions(double count) {
        return fixed(count / BILLION, 2);
    }

    /** Parameters by how they are divided. */
    private final class States {
        private final double norm = in.isRmsNorm ? 1 : 2;
        private final double gated = in.isGated ? 1.5 : 1;
        private final double attention = attention();
        private final double dense = 2.0 * in.hidden * in.feedForward * gated;
        private final double shared = 2.0 * in.hidden * in.experts.sharedWidth.orElse(0) * gated;
        private final double norms = 2 * in.hidden * norm;
        private final double finalNorm = norm * in.hidden;
        private final double embedding = (double) in.hidden * in.vocabulary;
        private final double routed = routed(in.experts.count.orElse(1));
        private final double replicated = norms + latent() + router() + gate();
        private final long mixtures = in.experts.mixtureLayers();
        private final long denseLayers = in.layers - mixtures;
        private final long mtp = in.mtpLayers.orElse(0);
        private final boolean isMtpMixture =
                in.experts.pattern.length > 0 && in.experts.pattern[in.experts.pattern.length - 1];

        private double attention() {
            Attention a = in.attention;
            if (!a.isLatent) {
                double width = (double) (a.headSize * a.heads) / in.hidden;
                return 2.0 * in.hidden * in.hidden * ((1 + (double) a.groups / a.heads) * width);
            }
            double keys = (double) a.heads * (a.keySize + a.positionSize);
            double query =
                    a.queryRank.isEmpty() ? in.hidden * keys : a.queryRank.getAsLong() * (in.hidden + keys + norm);
            return query
                    + a.rank * (in.hidden + (double) a.heads * (a.keySize + a.valueSize) + norm)
                    + (double) in.hidden * a.positionSize
                    + (double) (a.heads * a.valueSize) * in.hidden;
        }

        private double routed(long experts) {
            return in.experts.count.isEmpty()
                    ? 0
                    : 2.0 * in.experts.latent.orElse(in.hidden) * in.experts.width * experts * gated;
        }

        private double latent() {
            return in.experts.count.isPresent() ? 2.0 * in.hidden * in.experts.latent.orElse(0) : 0;
        }

        private double router() {
            if (in.experts.count.isEmpty()) {
                return 0;
            }
            long experts = in.experts.count.getAsLong();
            return (double) in.hidden * experts + (in.experts.hasBias ? experts : 0);
        }

        private double gate() {
            return in.experts.sharedWidth.orElse(0) > 0 && in.experts.hasSharedGate ? in.hidden : 0;
        }

        private double mixtureLayer(double routedWeights) {
            return attention + shared + routedWeights + replicated;
        }

        private void totals() {
            double denseLayer = attention + dense + norms;
            double block = denseLayer * denseLayers + mixtureLayer(routed) * mixtures + finalNorm;
            double active = denseLayer * denseLayers + mixtureLayer(routed(in.experts.topK)) * mixtures + finalNorm;
            double mtpBlock = (isMtpMixture ? mixtureLayer(routed) : denseLayer) * mtp;
            double embeddings = in.isUntied ? 2 * embedding : embedding;
            line("Number of parameters in transformer block in billions:  {}", billions(block));
            line("Number of active parameters in transformer block in billions:  {}", billions(active));
            if (in.mtpLayers.isPresent()) {
                line("Number of parameters in mtp block in billions:  {}", billions(mtpBlock));
            }
            line("Number of parameters in embedding layers in billions: {}", billions(embeddings));
            line("Total number of parameters in billions: {}", billions(block + mtpBlock + embeddings));
            line("Total number of active parameters in billions: {}", billions(active + mtpBlock + embeddings));
        }

        double bytes() {
            totals();
            Parallel p = in.parallel;
            double split = (attention + dense) * denseLayers + (attention + shared) * mixtures;
            double whole = norms * denseLayers + replicated * mixtures + finalNorm;
            double expert = routed * mixtures;
            double mtpSplit = (attention + (isMtpMixture ? shared : dense)) * mtp;
            double splitShard = (split / p.pipeline + mtpSplit + embedding) / p.tensor;
            double wholeShard = whole / p.pipeline + (isMtpMixture ? replicated : norms) * mtp;
            double expertShard =
                    (expert / p.pipeline + (isMtpMixture ? routed * mtp : 0)) / (p.expertTensor * p.expert);
            if (in.isUntied && p.pipeline == 1) {
                splitShard += embedding / p.tensor;
            }
            line(
                    "Number of parameters in most loaded shard in billions: {}",
                    fixed((splitShard + wholeShard + expertShard) / BILLION, 4));
            if (p.pipeline > 1) {
                double other = split / (p.pipeline * p.tensor)
                        + whole / p.pipeline
                        + expert / (p.pipeline * p.expertTensor * p.expert);
                line("Number of parameters in other shards in billions: {}", fixed(other / BILLION, 4));
            }
            long expertData = p.world / (p.expertTensor * p.expert * p.pipeline);
            return (splitShard + wholeShard) * each(p.data) + expertShard * each(expertData);
        }

        private double each(long shards) {
            return in.parallel.isDistributed ? 6 + 12.0 / shards : 18;
        }
    }

    private double tokens() {
        return (double) in.sequence * in.microBatch;
    }

    private double activationsWithSequence() {
        double layer = tokens() * in.hidden * (18 + 4 * ((double) in.feedForward / in.hidden));
        line("Activation memory footprint per transformer layer: {} MB", fixed(layer / MIB / in.parallel.tensor, 1));
        double all = inFlight(layer * in.layers);
        if (in.parallel.pipeline == 1) {
            all += tokens() * in.hidden * 4 * (1 + (double) in.vocabulary / in.hidden);
        }
        return all / in.parallel.tensor;
    }

    private double activationsWithoutSequence() {
        double layer = tokens() * in.hidden * (10 + 24.0 / in.parallel.tensor);
        line("Activation memory footprint per transformer layer (precise, without SP): {} MB", fixed(layer / MIB, 1));
        double all = inFlight(layer * in.layers);
        if (in.parallel.pipeline == 1) {
            all += (tokens() * in.vocabulary / in.parallel.tensor + tokens() * in.hidden) * 2;
        }
        return all * 1.05;
    }

    /** Activations of all layers with those of the embedding, times the share of micro-batches in flight. */
    private double inFlight(double layers) {
        long p = in.parallel.pipeline;
        double all = layers + 8 * tokens() * p + tokens() * in.hidden * p;
        if (in.parallel.virtual.isPresent()) {
            double penalty = 1 + (double) (p - 1) / (p * in.parallel.virtual.getAsLong());
            line("Memory penalty from interleaved schedule: {}", fixed(penalty, 2));
            line("Number of in-flight microbatches: {}", Long.toString((long) Math.ceil(penalty * p)));
            return all * penalty;
        }
        if (p > 1) {
            long held = Math.min(p, microBatches.orElse(p));
            line("Number of in-flight microbatches: {}", Long.toString(held));
            return microBatches.isPresent() ? all * Math.min(1, (double) microBatches.getAsLong() / p) : all;
        }
        return all;
    }
}
