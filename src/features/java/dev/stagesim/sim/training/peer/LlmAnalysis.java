package dev.stagesim.sim.training.peer;

import dev.stagesim.sim.training.peer.LlmAnalysisInput.Gpu;
import dev.stagesim.sim.training.peer.LlmAnalysisInput.Model;
import dev.stagesim.sim.training.peer.LlmAnalysisInput.Parallel;
import dev.stagesim.sim.training.peer.LlmAnalysisInput.Training;
import java.math.BigDecimal;
import java.math.RoundingMode;
import java.util.LinkedHashMap;
import java.util.Map;

/** The training analysis of llm-analysis (d841e40), figure by figure. */
public final class LlmAnalysis {
    private static final double GIB = 1L << 30;
    private static final int NODE = 8;
    private static final String[] RECOMPUTE = {"NONE", "ATTN_COMPUTE", "ATTN", "NORM_ATTN_NORM", "FULL"};
    private static final String[] ZERO = {"NONE", "STAGE_1", "STAGE_2", "STAGE_3"};
    private static final int ATTENTION_CORE = 1;
    private static final int ATTENTION = 2;
    private static final int NORM_ATTENTION_NORM = 3;
    private static final int FULL = 4;

    private final Model model;
    private final Gpu gpu;
    private final Parallel par;
    private final Training in;
    private final LlmAnalysisInput all;
    private final double weightBytes;
    private final double actBytes;
    private final double embeddingBytes;
    private final double hbm;
    private final double intra;
    private final double inter;
    private final double flops;
    private final double layersHere;
    private final long sequence;
    private final Map<String, Object> out = new LinkedHashMap<>();

    /** An input that the tool asserts against. */
    public static final class Rejected extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Rejected(String message) {
            super(message, null, false, false);
        }
    }

    private static void demand(boolean holds, String message) {
        if (!holds) {
            throw new Rejected(message);
        }
    }

    private LlmAnalysis(LlmAnalysisInput all) {
        this.all = all;
        model = all.model();
        gpu = all.gpu();
        par = all.parallel();
        in = all.training();
        weightBytes = all.weightBits() / 8.0;
        actBytes = all.activationBits() / 8.0;
        embeddingBytes = all.embeddingBits() / 8.0;
        demand(model.heads() % model.kvHeads() == 0, "n_head must be divisible by num_key_value_heads");
        demand(all.hbmEfficiency() > 0 && all.hbmEfficiency() <= 1, "hbm_memory_efficiency must be in (0, 1]");
        demand(all.flopsEfficiency() > 0 && all.flopsEfficiency() <= 1, "flops_efficiency must be in (0, 1]");
        demand(par.sequence() <= 1 || par.sequence() == par.tensor(), "sp_size must be 1 or tp_size");
        hbm = gpu.hbm() * all.hbmEfficiency() * 1e9;
        intra = gpu.intra() * all.intraEfficiency() * 1e9;
        inter = gpu.inter() * all.interEfficiency() * 1e9;
        int bits = Math.max(all.weightBits(), all.activationBits());
        demand(bits == 4 || bits == 8 || bits == 16, "weight_bits and activation_bits must be 4, 8, or 16");
        flops = (bits == 16 ? gpu.fp16() : bits == 8 ? gpu.i8() : gpu.i4()) * all.flopsEfficiency();
        layersHere = Math.floorDiv(model.layers(), par.pipeline());
        demand(in.sequence().isPresent() || model.maxSequence().isPresent(), "seq_len must be set");
        sequence = in.sequence().orElseGet(() -> model.maxSequence().orElse(0));
        demand(sequence <= model.maxSequence().orElse(Long.MAX_VALUE), "seq_len must not exceed max_seq_len");
    }

    /**
     * The summary dictionary of the tool: numbers, names, booleans, and an absent value where it has None.
     *
     * @throws Rejected when the tool would stop
     */
    public static Map<String, Object> run(LlmAnalysisInput input) {
        LlmAnalysis analysis = new LlmAnalysis(input);
        analysis.analyse();
        return analysis.out;
    }

    private double attentionParameters() {
        double heads = Math.max((double) model.kvHeads() / par.tensor(), 1) * par.tensor();
        double h = model.hidden();
        return 2 * h * h + 2 * h * (h * heads / model.heads());
    }

    private double feedForwardParameters() {
        return (model.isGated() ? 3 : 2) * (double) model.hidden() * model.feedForward() * model.experts();
    }

    private double routerParameters() {
        return model.experts() > 1 ? (double) model.hidden() * model.experts() : 0;
    }

    private double normParameters() {
        return 2.0 * model.hidden();
    }

    private double embeddingParameters() {
        return (double) model.hidden() * model.vocabulary();
    }

    private void analyse() {
        Weights weights = new Weights();
        double left = gpu.memoryGb() * GIB - weights.weights - weights.optimizer;
        Activations one = new Activations(1);
        long largest = largest(left, weights.prefetch(), one.total);
        Batch batch = Batch.of(in, largest, par.data() * par.replicas());
        Activations kept = new Activations(batch.perDevice());
        identity(batch, largest);
        weights.put();
        out.put("loss_bwd_memory", loss(batch.perDevice()));
        out.put("activation_memory_batch_size_1", one.total);
        kept.put();
        double states = weights.optimizer + weights.weights;
        out.put("(weight+op_state+act)_memory_per_gpu", states + kept.total);
        out.put("(weight+op_state+grad)_memory_per_gpu", weights.all());
        out.put(
                "estimated_peak_memory_per_gpu",
                states
                        + Math.max(kept.total, weights.gradients)
                        + Math.max(weights.backwardPrefetch, loss(batch.perDevice())));
        new Latency(batch, weights.all()).put();
    }

    /** The largest batch, maybe below 0, that leaves room for the rest; the tool counts down to it one by one. */
    private long largest(double left, double prefetch, double activations) {
        long above = (long) Math.floor(left / activations) + 1;
        long step = 1;
        while (left < needed(above - step, prefetch, activations)) {
            step *= 2;
        }
        long fits = above - step;
        while (above - fits > 1) {
            long middle = fits + (above - fits) / 2;
            if (left < needed(middle, prefetch, activations)) {
                above = middle;
            } else {
                fits = middle;
            }
        }
        return fits;
    }

    private double needed(long batch, double prefetch, double activations) {
        return Math.max(prefetch, loss(batch)) + activations * batch;
    }

    private double loss(double batch) {
        return model.vocabulary() * batch * sequence * actBytes / par.tensor();
    }

    private void identity(Batch batch, long largest) {
        out.put("batch_size_per_gpu", batch.perDevice());
        out.put("max_batch_size_per_gpu", largest);
        out.put("gradient_accumulation_steps", batch.accumulation());
        out.put("global_batch_size", batch.global());
        out.put("dp_size", par.data());
        out.put("rdp_size", par.replicas());
        out.put("tp_size", par.tensor());
        out.put("pp_size", par.pipeline());
        out.put("sp_size", par.sequence());
        out.put("ep_size", par.expert());
        out.put("ds_zero", ZERO[in.zero()]);
        out.put("total_num_gpus", devices());
        out.put("seq_len", sequence);
        out.put(
                "total_num_tokens",
                in.totalTokens().isPresent() ? (Object) in.totalTokens().getAsLong() : none());
        double layer = attentionParameters() + feedForwardParameters() + routerParameters() + normParameters();
        double total = model.layers() * layer + embeddingParameters() + model.hidden();
        double active = total
                - model.layers() * feedForwardParameters()
                + model.layers() * feedForwardParameters() * model.topK() / model.experts();
        double feedForward = feedForwardParameters() * model.layers();
        out.put("num_params_total", total);
        out.put("num_params_total_mlp", feedForward);
        out.put("num_params_total_embedding", embeddingParameters());
        out.put("num_params_total_others", total - feedForward - embeddingParameters());
        out.put("num_active_params_total", active);
        out.put("activation_recomputation", RECOMPUTE[in.recompute()]);
        out.put("layernorm_dtype_bytes", in.normBytes());
        out.put("mlp_activation_quant_bits", in.quantBits() > 0 ? (Object) (long) in.quantBits() : none());
        out.put("mlp_recompute_gelu", in.recomputesGelu());
        out.put("mlp_gated_linear_units", model.isGated());
        out.put("achieved_flops", flops);
        out.put("flops_efficiency", all.flopsEfficiency());
        out.put("hbm_memory_efficiency", all.hbmEfficiency());
        out.put("num_flops_total_per_micro_batch", new Work(batch.perDevice()).total());
    }

    /** Stands for the tool's None. */
    private static Object none() {
        return Double.NaN;
    }

    private long devices() {
        return par.tensor() * par.pipeline() * par.data() * par.replicas();
    }

    /** Batch of a device, accumulation steps and global batch, each completed from the others. */
    private record Batch(long perDevice, long accumulation, long global) {
        static Batch of(Training in, long largest, long replicas) {
            long given = in.batch();
            long steps = in.accumulation();
            long global = in.globalBatch();
            if (global > 0 && given > 0 && steps > 0) {
                demand(
                        global == given * steps * replicas,
                        "global_batch_size == batch_size_per_gpu * gradient_accumulation_steps * dp_size");
                return new Batch(given, steps, global);
            }
            if (global > 0 && given > 0) {
                demand(global % (given * replicas) == 0, "no valid gradient_accumulation_steps");
                return new Batch(given, global / (given * replicas), global);
            }
            if (global > 0 && steps > 0) {
                demand(global % (steps * replicas) == 0, "no valid batch_size_per_gpu");
                return new Batch(global / (steps * replicas), steps, global);
            }
            if (given > 0) {
                return new Batch(given, Math.max(1, steps), given * Math.max(1, steps) * replicas);
            }
            if (global > 0) {
                demand(global % replicas == 0, "global_batch_size must be divisible by dp_size");
                long most = global / replicas;
                long batch = most;
                while (batch > 0 && (most % batch != 0 || batch > largest)) {
                    batch--;
                }
                demand(batch > 0, "no batch fits");
                return new Batch(batch, most / batch, global);
            }
            return new Batch(largest, Math.max(1, steps), largest * Math.max(1, steps) * replicas);
        }
    }

    /** Weights, gradients and optimizer of a device, bytes. */
    private final class Weights {
        private final double layerAttention = attentionParameters() * weightBytes / par.tensor();
        private final double layerFeedForward =
                (feedForwardParameters() / par.expert() + routerParameters()) * weightBytes / par.tensor();
        private final double layerNorms = normParameters() * weightBytes;
        private final double layer = layerAttention + layerFeedForward + layerNorms;
        private final double shards = in.zero() == 3 ? par.data() : 1;
        private final double expertShards = in.zero() == 3 ? (double) par.data() / par.expert() : 1;
        private final double wholeEmbedding = embeddingParameters() / par.tensor() * embeddingBytes;
        private final double embedding = wholeEmbedding / shards;
        private final double attention = layerAttention / shards * layersHere;
        private final double feedForward = layerFeedForward / expertShards * layersHere;
        private final double norms = layerNorms / shards * layersHere;
        private final double weights =
                embedding + (attention + feedForward + norms) + model.hidden() * weightBytes / par.tensor() / shards;
        private final double optimizer = optimizer();
        private final double gradients = gradients();
        private final double forwardPrefetch = wholeEmbedding + layer;
        private final double backwardPrefetch =
                ((in.prefetchesForward() ? 1 : 0) + (in.prefetchesBackward() ? 1 : 0)) * layer;

        private double optimizer() {
            boolean isSharded = in.zero() >= 1;
            double others = isSharded ? par.data() : 1;
            double experts = isSharded ? (double) par.data() / par.expert() : 1;
            double perLayer = in.optimizerBytes() * feedForwardParameters() / par.expert() / par.tensor() / experts
                    + in.optimizerBytes()
                            * ((attentionParameters() + routerParameters()) / par.tensor() + normParameters())
                            / others;
            return perLayer * layersHere
                    + in.optimizerBytes() * embeddingParameters() / par.tensor() / others
                    + in.optimizerBytes() * model.hidden() / par.tensor() / others;
        }

        private double gradients() {
            boolean isSharded = in.zero() >= 2;
            double others = isSharded ? par.data() : 1;
            double experts = isSharded ? (double) par.data() / par.expert() : 1;
            double perLayer = feedForwardParameters() * in.masterBytes() / par.expert() / par.tensor() / experts
                    + (attentionParameters() + routerParameters() + normParameters())
                            * in.masterBytes()
                            / par.tensor()
                            / others;
            return perLayer * layersHere
                    + in.masterBytes() * embeddingParameters() / par.tensor() / others
                    + in.masterBytes() * model.hidden() / par.tensor() / others;
        }

        double prefetch() {
            return Math.max(forwardPrefetch, backwardPrefetch);
        }

        double all() {
            return weights + optimizer + gradients;
        }

        void put() {
            out.put("weight_memory_per_gpu", weights);
            out.put("weight_memory_embedding_per_gpu", embedding);
            out.put("weight_memory_attn_per_gpu", attention);
            out.put("weight_memory_mlp_per_gpu", feedForward);
            out.put("weight_memory_layernorm_per_gpu", norms);
            out.put("unsharded_weight_memory_embedding", wholeEmbedding);
            out.put("unsharded_weight_memory_per_layer", layer);
            out.put("unsharded_weight_memory_attn_per_layer", layerAttention);
            out.put("unsharded_weight_memory_mlp_per_layer", layerFeedForward);
            out.put("unshared_weight_memory_layernorm", layerNorms);
            out.put("gradient_memory_per_gpu", gradients);
            out.put("optimizer_state_memory_per_gpu", optimizer);
            out.put("(weight+op_state)_memory_per_gpu", optimizer + weights);
            out.put("estimated_fwd_prefetch_memory_per_gpu", forwardPrefetch);
            out.put("estimated_bwd_prefetch_memory_per_gpu", backwardPrefetch);
        }
    }

    /** Activations of a device, bytes; those of all layers, whatever the pipeline. */
    private final class Activations {
        private final double attention;
        private final double feedForward;
        private final double norms;
        private final double input;
        private final double output;
        private final double total;

        Activations(double batch) {
            double tokens = sequence * batch;
            double norm = tokens * model.hidden() / par.sequence() * in.normBytes();
            double layer;
            if (in.recompute() == FULL) {
                layer = tokens * model.hidden() * actBytes / par.tensor();
                attention = 0;
                feedForward = 0;
                norms = layer * model.layers();
            } else {
                double layerAttention = attentionActivations(batch, in.usesFlash(), in.dropsScores(), in.recompute());
                double layerFeedForward = feedForwardActivations(batch, true);
                double layerNorms = in.recompute() == NORM_ATTENTION_NORM ? norm : 2 * norm;
                layer = layerAttention + layerFeedForward + layerNorms;
                attention = layerAttention * model.layers();
                feedForward = layerFeedForward * model.layers();
                norms = layerNorms * model.layers();
            }
            input = model.hidden() * tokens * actBytes / par.tensor();
            output = loss(batch);
            total = layer * model.layers() + input + output + norm;
        }

        void put() {
            out.put("activation_memory_per_gpu", total);
            out.put("activation_memory_attn_per_gpu", attention);
            out.put("activation_memory_mlp_per_gpu", feedForward);
            out.put("activation_memory_layernorm_per_gpu", norms);
            out.put("activation_memory_input_embedding_per_gpu", input);
            out.put("activation_memory_output_embedding_per_gpu", output);
        }
    }

    private double attentionActivations(double batch, boolean usesFlash, boolean dropsScores, int recompute) {
        double elements = sequence * batch * model.hidden();
        if (recompute >= NORM_ATTENTION_NORM) {
            return 0;
        }
        if (recompute == ATTENTION) {
            return elements * actBytes / par.sequence();
        }
        double scores = model.heads() * (double) sequence * sequence * batch;
        double core = 0;
        if (recompute == 0) {
            core = usesFlash
                    ? (2 * elements + 4.0 * model.heads() * sequence * batch) * actBytes / par.tensor()
                    : 2 * scores * actBytes / par.tensor();
            core += dropsScores ? scores / par.tensor() : 0;
        }
        return (elements / par.sequence() + 4 * elements / par.tensor()) * actBytes + core + elements / par.sequence();
    }

    /** Activations of a feed-forward network; {@code isKept} those that training keeps, else those that a forward moves. */
    private double feedForwardActivations(double batch, boolean isKept) {
        double elements = sequence * batch * model.hidden();
        double first = isKept ? quantised(in.firstBits()) : actBytes;
        double gelu = isKept ? quantised(in.geluBits()) : actBytes;
        double second = isKept ? quantised(in.secondBits()) : actBytes;
        double kept = actBytes * elements / par.sequence();
        if (model.experts() > 1) {
            kept = 2 * kept
                    + first * elements * model.topK()
                    + first * batch * sequence * model.topK()
                    + first * elements * model.topK() / par.sequence();
        }
        double wide = !isKept || !in.recomputesGelu() ? gelu + second : model.isGated() ? gelu / 3 : gelu;
        return kept + wide * model.expansion() * elements * model.topK() / par.tensor();
    }

    private double quantised(int bits) {
        int chosen = in.quantBits() > 0 ? in.quantBits() : bits;
        return chosen > 0 ? chosen / 8.0 : actBytes;
    }

    /** FLOPs of a batch on all devices. */
    private final class Work {
        private final double attention;
        private final double feedForward;
        private final double forward;
        private final double again;
        private final double core;

        Work(double batch) {
            double h = model.hidden();
            double tokens = batch * sequence;
            double groups = (double) model.heads() / model.kvHeads();
            double square = 4 * tokens * sequence * h;
            attention = 4 * tokens * h * h + 4 * tokens * h * h / groups + square;
            feedForward = (model.isGated() ? 6 : 4) * tokens * h * h * model.expansion();
            forward = (attention + feedForward) * model.layers() + 2 * tokens * h * model.vocabulary();
            core = square * model.layers();
            double published = 24
                    * tokens
                    * model.layers()
                    * h
                    * h
                    * (1 + sequence / (6 * h) + model.vocabulary() / (12 * model.layers() * h));
            demand(
                    groups != 1 || isNear(forward, published),
                    "the FLOPs of multi-head attention are within 1 % of the published formula");
            again = switch (in.recompute()) {
                case FULL -> forward;
                case NORM_ATTENTION_NORM, ATTENTION -> attention * model.layers();
                case ATTENTION_CORE -> core;
                default -> 0;
            };
        }

        private boolean isNear(double value, double target) {
            return Math.abs(value - target) / target < 0.01;
        }

        double total() {
            return forward + 2 * forward + again;
        }
    }

    /** Times of a step, seconds. */
    private final class Latency {
        private final Batch batch;
        private final Work work;
        private final double states;
        private final double attention;
        private final double feedForward;
        private final double norm;
        private final double tensor;

        Latency(Batch batch, double states) {
            this.batch = batch;
            this.states = states;
            double b = batch.perDevice();
            work = new Work(b);
            // The tool hands the recomputation over where flash attention belongs: always flash, nothing recomputed.
            double attentionBytes = attentionActivations(b, true, false, 0);
            attention = Math.max(
                    work.attention / par.tensor() / (flops * 1e12),
                    attentionParameters() * weightBytes / par.tensor() / hbm + attentionBytes / hbm);
            double exchange =
                    model.topK() * b * sequence * model.hidden() * actBytes / (par.expert() <= NODE ? intra : inter);
            double feedForwardBytes = in.recompute() == FULL ? 0 : feedForwardActivations(b, false);
            feedForward = Math.max(
                            work.feedForward / par.tensor() / (flops * 1e12),
                            feedForwardParameters() / par.expert() * weightBytes / par.tensor() / hbm
                                    + feedForwardBytes / hbm)
                    + (model.experts() > 1 ? 2 * exchange : 0);
            double elements = sequence * b * model.hidden();
            norm = Math.max(elements * 5 / (flops * 1e12), elements / par.sequence() * 4 / hbm);
            tensor = tensor(actBytes);
        }

        private double tensor(double bytes) {
            if (par.tensor() == 1) {
                return 0;
            }
            double moved = 2.0 * batch.perDevice() * sequence * model.hidden() * (par.tensor() - 1) / par.tensor();
            return Math.max(moved * bytes / intra, gpu.latency());
        }

        private double shards() {
            double rate = par.data() * par.tensor() <= NODE ? intra : inter;
            double experts = feedForwardParameters() / par.expert() * weightBytes;
            double others = (attentionParameters() + routerParameters() + normParameters()) * weightBytes;
            double expertShards = (double) par.data() / par.expert();
            return experts * (expertShards - 1) / (rate * expertShards)
                    + others * (par.data() - 1) / (rate * par.data());
        }

        private double recompute() {
            return switch (in.recompute()) {
                case FULL -> layersHere * (attention + feedForward + 2 * norm);
                case NORM_ATTENTION_NORM -> layersHere * (attention + 2 * norm);
                case ATTENTION -> layersHere * attention;
                case ATTENTION_CORE -> layersHere * work.core / (par.tensor() * par.pipeline() * flops * 1e12);
                default -> 0.0;
            };
        }

        void put() {
            double layer = Math.max(attention + feedForward + 2 * norm + 2 * tensor, shards());
            double input = embeddingParameters() * embeddingBytes / hbm + tensor(embeddingBytes);
            double head = 2.0
                    * sequence
                    * batch.perDevice()
                    * model.vocabulary()
                    * model.hidden()
                    / par.tensor()
                    / par.pipeline()
                    / (flops * 1e12);
            double forward = layer * layersHere + input + head;
            double micro = forward * 3 + recompute();
            double step = micro * batch.accumulation() + states / hbm;
            double byFlops = work.total() / (par.tensor() * par.pipeline() * flops * 1e12) * batch.accumulation();
            out.put("latency_per_micro_batch", micro);
            out.put("latency_fwd", forward);
            out.put("latency_fwd_attn", attention * layersHere);
            out.put("latency_fwd_mlp", feedForward * layersHere);
            out.put("latency_fwd_layernorm", 2 * norm * layersHere);
            out.put("latency_fwd_tp_comm", 2 * tensor * layersHere);
            out.put("latency_fwd_sharded_dp_comm", shards() * layersHere);
            out.put("latency_fwd_input_embedding", input);
            out.put("latency_fwd_output_embedding_loss", head);
            out.put("latency_per_iter", step);
            out.put("device_tokens_per_sec", rounded(sequence * batch.perDevice() / step));
            training(step, byFlops);
        }

        private void training(double step, double byFlops) {
            boolean isKnown = in.totalTokens().isPresent();
            demand(!isKnown || batch.global() != 0, "no batch fits, so that no step takes any of the tokens");
            double steps = isKnown
                    ? (double) (long) ((double) in.totalTokens().getAsLong() / (batch.global() * sequence))
                    : Double.NaN;
            out.put("total_training_latency", step * steps);
            out.put("latency_per_iter_using_flops", byFlops);
            out.put("total_training_latency_using_flops", byFlops * steps);
            out.put("gpu_hours", step * steps * devices() / 3600);
        }

        private double rounded(double value) {
            return new BigDecimal(value).setScale(2, RoundingMode.HALF_EVEN).doubleValue();
        }
    }
}
