package dev.stagesim.engine.tf;

import dev.stagesim.engine.tf.Samples.Value;
import java.util.SplittableRandom;

/** What is done to one sample. */
final class Verb {
    private Verb() {}

    static void apply(Value v, String[] w, SplittableRandom random, long number) {
        switch (w[0]) {
            case "center" -> subtractMean(v, v.data.length, 1);
            case "center_time" -> subtractMean(v, v.sizes[0], v.last());
            case "scale" -> each(v, Float.parseFloat(w[1]), 0);
            case "log1p" -> Samples.fill(v.data, mapped(v, x -> Math.log1p(x)));
            case "noise" -> {
                double size = Double.parseDouble(w[1]);
                Samples.fill(v.data, mapped(v, x -> x + size * Samples.gaussian(random)));
            }
            case "rescale", "decode_bytes" -> each(v, 1 / 255f, 0);
            case "zero_odd" -> Samples.fill(v.data, mapped(v, x -> x % 2 == 1 ? 0 : x));
            case "sparsify" -> Samples.fill(v.data, mapped(v, x -> Math.abs(x) > Double.parseDouble(w[1]) ? x : 0));
            case "ramp" -> ramp(v);
            case "length" -> length(v, Integer.parseInt(w[1]), Integer.parseInt(w[2]), random);
            case "append_mask" -> appendMask(v);
            case "roll" -> roll(v, Integer.parseInt(w[1]));
            case "split", "lower", "pad_cut", "table_lookup" -> words(v, w);
            case "stateless_normal" -> stateless(v, number, true);
            case "stateless_uniform" -> stateless(v, number, false);
            case "weighted_normals" -> weighted(v, number);
            case "complex", "decode_raw", "parse_sparse", "sparse_to_dense", "padded", "ragged", "ragged_to_dense",
                    "interleave", "scan", "window" -> {}
            default -> Pictures.apply(v, w, random, number);
        }
    }

    /** A value from a value. */
    interface Each {
        double of(float value);
    }

    private static Samples.Draw mapped(Value v, Each each) {
        int[] at = {0};
        return () -> (float) each.of(v.data[at[0]++]);
    }

    private static void each(Value v, float factor, float more) {
        for (int i = 0; i < v.data.length; i++) {
            v.data[i] = v.data[i] * factor + more;
        }
    }

    /** Takes off the mean of every {@code stride}-th value. */
    private static void subtractMean(Value v, int count, int stride) {
        for (int j = 0; j < stride; j++) {
            double sum = 0;
            for (int i = 0; i < count; i++) {
                sum += v.data[i * stride + j];
            }
            for (int i = 0; i < count; i++) {
                v.data[i * stride + j] -= (float) (sum / count);
            }
        }
    }

    private static void ramp(Value v) {
        for (int i = 0; i < v.data.length; i++) {
            v.data[i] += (float) i / v.data.length;
        }
    }

    /** Steps beyond a drawn length are 0; lengths beyond what the network takes are cut. */
    private static void length(Value v, int least, int most, SplittableRandom random) {
        int steps = least + random.nextInt(most - least + 1);
        int width = v.data.length / v.sizes[0];
        for (int i = Math.min(steps, v.sizes[0]) * width; i < v.data.length; i++) {
            v.data[i] = 0;
        }
    }

    private static void appendMask(Value v) {
        int width = v.last();
        float[] more = new float[v.sizes[0] * (width + 1)];
        for (int t = 0; t < v.sizes[0]; t++) {
            float any = 0;
            for (int j = 0; j < width; j++) {
                more[t * (width + 1) + j] = v.data[t * width + j];
                any = v.data[t * width + j] == 0 ? any : 1;
            }
            more[t * (width + 1) + width] = any;
        }
        v.data = more;
        v.sizes = new int[] {v.sizes[0], width + 1};
    }

    private static void roll(Value v, int by) {
        float[] rolled = new float[v.data.length];
        for (int i = 0; i < rolled.length; i++) {
            rolled[(i + by) % rolled.length] = v.data[i];
        }
        v.data = rolled;
    }

    private static void words(Value v, String[] w) {
        if (w[0].equals("table_lookup")) {
            v.data = Samples.tokens(v.text, v.sizes[0]);
        }
    }

    private static void stateless(Value v, long number, boolean isNormal) {
        SplittableRandom random = new SplittableRandom(number * 1_000_003L + 17 * number + 3);
        Samples.fill(v.data, () -> (float) (isNormal ? Samples.gaussian(random) : random.nextDouble()));
    }

    /** Five samples in a row, shifted by two from one to the next, under falling weights. */
    private static void weighted(Value v, long number) {
        for (int i = 0; i < 5; i++) {
            SplittableRandom random = new SplittableRandom(2 * number + i);
            double weight = 1.0 / (i + 1);
            Samples.fill(v.data, mapped(v, x -> x + weight * Samples.gaussian(random)));
        }
    }
}
