package dev.stagesim.feature.reference;

/** A naive implementation of the model in double precision, without cache and batches. */
final class NaiveModel {
    private final EngineShape s;
    private final Weights w;

    NaiveModel(EngineShape shape, long seed) {
        this.s = shape;
        this.w = new Weights(shape, seed);
    }

    /** Returns the scores of the token after the first {@code n} tokens. */
    double[] logits(int[] tokens, int n) {
        double[][] x = new double[n][s.hidden()];
        for (int t = 0; t < n; t++) {
            for (int i = 0; i < s.hidden(); i++) {
                x[t][i] = w.embedding[tokens[t]][i];
            }
        }
        for (Weights.Layer layer : w.layers) {
            layer(x, layer);
        }
        return times(norm(x[n - 1], 0, w.finalNorm), w.head);
    }

    private void layer(double[][] x, Weights.Layer l) {
        int n = x.length;
        int q = s.heads() * s.headDim();
        int kv = s.kvHeads() * s.headDim();
        double[][] normed = new double[n][];
        double[][] qkv = new double[n][];
        for (int t = 0; t < n; t++) {
            normed[t] = norm(x[t], 0, l.inputNorm());
            qkv[t] = times(normed[t], l.qkv());
            for (int h = 0; h < s.heads() + s.kvHeads(); h++) {
                head(qkv[t], h * s.headDim(), h < s.heads() ? l.queryNorm() : l.keyNorm(), t);
            }
        }
        for (int t = 0; t < n; t++) {
            double[] mixed = new double[q];
            for (int h = 0; h < s.heads(); h++) {
                attend(qkv, t, h * s.headDim(), q + h * s.kvHeads() / s.heads() * s.headDim(), kv, mixed);
            }
            add(x[t], times(mixed, l.attentionOut()));
            double[] in = s.secondNorm() ? norm(x[t], 0, l.secondNorm()) : normed[t];
            double[] up = times(in, l.up());
            double[] inner = new double[s.ffn()];
            for (int j = 0; j < s.ffn(); j++) {
                inner[j] = up[j] / (1 + Math.exp(-up[j])) * (s.gated() ? up[s.ffn() + j] : 1);
            }
            add(x[t], times(inner, l.down()));
        }
    }

    private void head(double[] row, int from, float[] weight, int position) {
        if (s.qkNorm()) {
            double[] normed = norm(row, from, weight);
            System.arraycopy(normed, 0, row, from, normed.length);
        }
        int half = s.headDim() / 2;
        for (int i = 0; i < half; i++) {
            double angle = position * Math.pow(10_000, -(double) i / half);
            double a = row[from + i];
            double b = row[from + half + i];
            row[from + i] = a * Math.cos(angle) - b * Math.sin(angle);
            row[from + half + i] = a * Math.sin(angle) + b * Math.cos(angle);
        }
    }

    private void attend(double[][] qkv, int t, int query, int key, int kvWidth, double[] out) {
        double[] weights = new double[t + 1];
        double sum = 0;
        for (int p = 0; p <= t; p++) {
            double score = 0;
            for (int d = 0; d < s.headDim(); d++) {
                score += qkv[t][query + d] * qkv[p][key + d];
            }
            weights[p] = Math.exp(score / Math.sqrt(s.headDim()));
            sum += weights[p];
        }
        for (int p = 0; p <= t; p++) {
            for (int d = 0; d < s.headDim(); d++) {
                out[query + d] += weights[p] / sum * qkv[p][key + kvWidth + d];
            }
        }
    }

    private static double[] norm(double[] x, int from, float[] weight) {
        double squares = 0;
        for (int i = 0; i < weight.length; i++) {
            squares += x[from + i] * x[from + i];
        }
        double[] out = new double[weight.length];
        for (int i = 0; i < weight.length; i++) {
            out[i] = x[from + i] / Math.sqrt(squares / weight.length + 1e-5) * weight[i];
        }
        return out;
    }

    private static double[] times(double[] x, float[][] matrix) {
        double[] out = new double[matrix[0].length];
        for (int k = 0; k < x.length; k++) {
            for (int j = 0; j < out.length; j++) {
                out[j] += x[k] * matrix[k][j];
            }
        }
        return out;
    }

    private static void add(double[] to, double[] from) {
        for (int i = 0; i < to.length; i++) {
            to[i] += from[i];
        }
    }
}
