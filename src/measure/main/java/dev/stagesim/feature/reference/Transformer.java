package dev.stagesim.feature.reference;

import dev.stagesim.feature.reference.StepClock.Part;
import java.util.Arrays;

/**
 * A decoder-only transformer with a paged KV cache: embedding, layers with grouped-query attention, rotary positions and a
 * feed-forward part, final norm, output head, greedy decoding.
 *
 * <p>Linear layers process all tokens of a step together, attention processes one sequence at a time. The result of a sequence does
 * not depend on the other sequences of the step.
 *
 * <p>Single-threaded. Steps do not allocate memory after the largest step.
 */
final class Transformer implements RequestLoop.StepRunner {
    private final EngineShape shape;
    private final Weights weights;
    private final PagedCache cache;
    private final StepClock clock;
    private final Rotation rotation;
    private final AttentionKernel attention;
    private final CacheWarmer cacheWarmer;
    private float[][] x = new float[0][];
    private float[][] normed = x;
    private float[][] qkv = x;
    private float[][] context = x;
    private float[][] projected = x;
    private float[][] up = x;
    private float[][] inner = x;
    private float[][] last = x;
    private float[][] logits = x;

    Transformer(EngineShape shape, Weights weights, PagedCache cache, int maxPositions, StepClock clock) {
        this.shape = shape;
        this.weights = weights;
        this.cache = cache;
        this.clock = clock;
        this.rotation = new Rotation(shape.headDim(), maxPositions);
        this.attention = new AttentionKernel(shape, cache, maxPositions);
        this.cacheWarmer = new CacheWarmer(weights);
    }

    /**
     * Computes a step.
     *
     * @param next receives the next token of each segment
     */
    void step(StepInput in, int[] next) {
        prepare(in);
        clock.lap(Part.PREPARE_INPUTS);
        for (int layer = 0; layer < shape.layers(); layer++) {
            attend(in, layer);
            feedForward(in, weights.layers[layer]);
        }
        sample(in, next);
        clock.lap(Part.SAMPLER);
    }

    @Override
    public void run(StepInput in, int[] next) {
        step(in, next);
    }

    @Override
    public void idle() {
        cacheWarmer.next();
    }

    private void prepare(StepInput in) {
        if (in.rows > x.length) {
            grow(Math.max(in.rows, 2 * x.length));
        }
        if (in.segments > last.length) {
            last = new float[Math.max(in.segments, 2 * last.length)][shape.hidden()];
            logits = new float[last.length][shape.vocab()];
        }
        for (int s = 0; s < in.segments; s++) {
            cache.reserve(in.sequence[s], in.positions[in.from[s] + in.count[s] - 1] + 1);
        }
        for (int t = 0; t < in.rows; t++) {
            System.arraycopy(weights.embedding[in.tokens[t]], 0, x[t], 0, shape.hidden());
        }
    }

    private void grow(int rows) {
        x = new float[rows][shape.hidden()];
        normed = new float[rows][shape.hidden()];
        qkv = new float[rows][shape.queryWidth() + 2 * shape.kvWidth()];
        context = new float[rows][shape.queryWidth()];
        projected = new float[rows][shape.hidden()];
        up = new float[rows][shape.upWidth()];
        inner = new float[rows][shape.ffn()];
    }

    private void attend(StepInput in, int layer) {
        Weights.Layer w = weights.layers[layer];
        FloatKernels.norm(x, in.rows, w.inputNorm(), normed);
        clock.lap(Part.INPUT_LAYERNORM);
        FloatKernels.multiply(normed, in.rows, w.qkv(), w.qkv()[0].length, qkv);
        clock.lap(Part.ATTN_PRE_PROJ);
        for (int t = 0; t < in.rows; t++) {
            if (shape.qkNorm()) {
                FloatKernels.headNorm(qkv[t], 0, shape.heads(), w.queryNorm());
                FloatKernels.headNorm(qkv[t], shape.queryWidth(), shape.kvHeads(), w.keyNorm());
            }
            rotation.apply(qkv[t], shape.heads() + shape.kvHeads(), in.positions[t]);
        }
        clock.lap(Part.ATTN_ROPE);
        for (int s = 0; s < in.segments; s++) {
            int[] slots = cache.slots(in.sequence[s]);
            for (int t = in.from[s]; t < in.from[s] + in.count[s]; t++) {
                cache.write(
                        layer,
                        slots[in.positions[t]],
                        qkv[t],
                        shape.queryWidth(),
                        shape.queryWidth() + shape.kvWidth());
            }
        }
        clock.lap(Part.ATTN_KV_CACHE_SAVE);
        attendSegments(in, layer);
        FloatKernels.multiply(context, in.rows, w.attentionOut(), shape.hidden(), projected);
        clock.lap(Part.ATTN_POST_PROJ);
        FloatKernels.add(x, projected, in.rows, shape.hidden());
        clock.lap(Part.ADD);
    }

    private void attendSegments(StepInput in, int layer) {
        for (int s = 0; s < in.segments; s++) {
            int[] slots = cache.slots(in.sequence[s]);
            for (int t = in.from[s]; t < in.from[s] + in.count[s]; t++) {
                attention.attend(layer, slots, in.positions[t] + 1, qkv[t], context[t]);
            }
            if (s + 1 == in.segments || in.decode[s + 1] != in.decode[s]) {
                clock.lap(in.decode[s] ? Part.ATTN_DECODE : Part.ATTN_PREFILL);
            }
        }
    }

    private void feedForward(StepInput in, Weights.Layer w) {
        if (shape.secondNorm()) {
            FloatKernels.norm(x, in.rows, w.secondNorm(), normed);
            clock.lap(Part.POST_ATTENTION_LAYERNORM);
        }
        FloatKernels.multiply(normed, in.rows, w.up(), shape.upWidth(), up);
        clock.lap(Part.MLP_UP_PROJ);
        FloatKernels.activate(up, in.rows, shape.ffn(), shape.gated(), inner);
        clock.lap(Part.MLP_ACT);
        FloatKernels.multiply(inner, in.rows, w.down(), shape.hidden(), projected);
        clock.lap(Part.MLP_DOWN_PROJ);
        FloatKernels.add(x, projected, in.rows, shape.hidden());
        clock.lap(Part.ADD);
    }

    private void sample(StepInput in, int[] next) {
        for (int s = 0; s < in.segments; s++) {
            System.arraycopy(x[in.from[s] + in.count[s] - 1], 0, last[s], 0, shape.hidden());
        }
        FloatKernels.norm(last, in.segments, weights.finalNorm, last);
        FloatKernels.multiply(last, in.segments, weights.head, shape.vocab(), logits);
        for (int s = 0; s < in.segments; s++) {
            next[s] = FloatKernels.argmax(logits[s], shape.vocab());
        }
    }

    /** Returns the scores of all tokens for a segment of the last step. */
    float[] scores(int segment) {
        return Arrays.copyOf(logits[segment], shape.vocab());
    }

    /** Rotary position embedding. */
    private static final class Rotation {
        private static final double BASE = 10_000;
        private final int half;
        private final float[][] cos;
        private final float[][] sin;

        Rotation(int headDim, int positions) {
            this.half = headDim / 2;
            this.cos = new float[positions][half];
            this.sin = new float[positions][half];
            for (int p = 0; p < positions; p++) {
                for (int i = 0; i < half; i++) {
                    double angle = p * Math.pow(BASE, -(double) i / half);
                    cos[p][i] = (float) Math.cos(angle);
                    sin[p][i] = (float) Math.sin(angle);
                }
            }
        }

        /** Rotates the first {@code heads} heads of a row. */
        void apply(float[] row, int heads, int position) {
            float[] c = cos[position];
            float[] s = sin[position];
            for (int h = 0; h < heads; h++) {
                int first = h * 2 * half;
                int second = first + half;
                for (int i = 0; i < half; i++) {
                    float a = row[first + i];
                    float b = row[second + i];
                    row[first + i] = a * c[i] - b * s[i];
                    row[second + i] = a * s[i] + b * c[i];
                }
            }
        }
    }
}
