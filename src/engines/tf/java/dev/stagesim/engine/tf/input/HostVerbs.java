package dev.stagesim.engine.tf.input;

import java.util.SplittableRandom;

/** Verbs in Java: a workload's host function and its generators. */
public final class HostVerbs {
    private static final String WAVES = "waves";
    private static final String SEQUENCES = "sequences";

    private HostVerbs() {}

    /** True if a line generates a sample instead of changing one. */
    static boolean isGenerator(String line) {
        return line.startsWith(WAVES) || line.startsWith(SEQUENCES);
    }

    /**
     * Changes a value.
     *
     * @param w verb and arguments
     * @param number sample number; random draws depend on it and on the seed
     */
    static void apply(HostSample v, String[] w, long seed, long number) {
        SplittableRandom random = new SplittableRandom(seed * 1_000_003L + number);
        switch (w[0]) {
            case WAVES -> waves(v, Integer.parseInt(w[1]), number, random);
            case SEQUENCES -> sequence(v, w, random);
            case "center" -> subtractMean(v, v.data.length, 1);
            case "center_time" -> subtractMean(v, v.sizes[0], v.last());
            case "scale" -> each(v, x -> x * Float.parseFloat(w[1]));
            case "log1p" -> each(v, x -> (float) Math.log1p(x));
            case "noise" -> {
                double size = Double.parseDouble(w[1]);
                each(v, x -> (float) (x + size * gaussian(random)));
            }
            case "decode_bytes" -> decode(v, w);
            case "rescale" -> each(v, x -> x / 255);
            case "zero_odd" -> each(v, x -> x % 2 == 1 ? 0 : x);
            case "sparsify" -> each(v, x -> Math.abs(x) > Float.parseFloat(w[1]) ? x : 0);
            case "roll" -> roll(v, Integer.parseInt(w[1]));
            default -> HostPictures.apply(v, w, random, number);
        }
    }

    /** A function of one value. */
    interface Each {
        float of(float value);
    }

    private static void each(HostSample v, Each each) {
        for (int i = 0; i < v.data.length; i++) {
            v.data[i] = each.of(v.data[i]);
        }
    }

    private static void waves(HostSample v, int width, long number, SplittableRandom random) {
        v.data = new float[width];
        v.sizes = new int[] {width};
        for (int k = 0; k < width; k++) {
            v.data[k] = (float) (Math.cos(0.01 * k + number) + 0.05 * gaussian(random));
        }
    }

    /** Normally distributed values over a random number of steps. */
    private static void sequence(HostSample v, String[] w, SplittableRandom random) {
        int least = Integer.parseInt(w[1]);
        int steps = least + random.nextInt(Integer.parseInt(w[2]) - least + 1);
        int width = Integer.parseInt(w[3]);
        v.data = new float[steps * width];
        v.sizes = new int[] {steps, width};
        v.fill(() -> (float) gaussian(random));
    }

    private static void decode(HostSample v, String[] w) {
        each(v, x -> x / 255);
        v.sizes = new int[w.length - 1];
        for (int i = 1; i < w.length; i++) {
            v.sizes[i - 1] = Integer.parseInt(w[i]);
        }
    }

    /** Subtracts the mean of every {@code stride}-th value. */
    private static void subtractMean(HostSample v, int count, int stride) {
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

    private static void roll(HostSample v, int by) {
        float[] rolled = new float[v.data.length];
        for (int i = 0; i < rolled.length; i++) {
            rolled[(i + by) % rolled.length] = v.data[i];
        }
        v.data = rolled;
    }

    public static double gaussian(SplittableRandom random) {
        double u = 1 - random.nextDouble();
        return Math.sqrt(-2 * Math.log(u)) * Math.cos(2 * Math.PI * random.nextDouble());
    }
}
