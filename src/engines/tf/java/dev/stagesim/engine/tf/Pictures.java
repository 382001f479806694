package dev.stagesim.engine.tf;

import dev.stagesim.engine.tf.Samples.Value;
import java.util.SplittableRandom;

/** What is done to one sample that is an image or a signal. */
final class Pictures {
    private Pictures() {}

    static void apply(Value v, String[] w, SplittableRandom random, long number) {
        int[] n = new int[w.length];
        for (int i = 1; i < w.length; i++) {
            n[i] = (int) Double.parseDouble(w[i]);
        }
        switch (w[0]) {
            case "flip_horizontal" -> flip(v, random.nextBoolean(), false);
            case "flip_vertical" -> flip(v, false, random.nextBoolean());
            case "brightness" -> shift(v, (2 * random.nextDouble() - 1) * Double.parseDouble(w[1]));
            case "random_contrast" -> contrast(v, 0.8 + 0.4 * random.nextDouble());
            case "cond_augment" -> {
                if (random.nextBoolean()) {
                    shift(v, 0.1);
                } else {
                    contrast(v, 0.8 + 0.4 * random.nextDouble());
                }
            }
            case "random_crop" -> crop(v, n[1], random);
            case "resize" -> resize(v, n[1], n[2]);
            case "rotate_quarter" -> rotate(v, (int) (number % 4));
            case "nms_scale" -> scale(v, n[1], n[2], random);
            case "frame" -> frame(v, n[1], n[2]);
            case "stft" -> spectrum(v, n[1], n[2]);
            case "fft_real" -> fourier(v);
            default -> throw new IllegalArgumentException("unknown verb " + w[0]);
        }
    }

    private static int channels(Value v) {
        return v.sizes.length > 2 ? v.sizes[2] : 1;
    }

    private static void flip(Value v, boolean isAcross, boolean isDown) {
        int high = v.sizes[0];
        int wide = v.sizes[1];
        int channels = channels(v);
        float[] flipped = new float[v.data.length];
        for (int y = 0; y < high; y++) {
            for (int x = 0; x < wide; x++) {
                int from = ((isDown ? high - 1 - y : y) * wide + (isAcross ? wide - 1 - x : x)) * channels;
                System.arraycopy(v.data, from, flipped, (y * wide + x) * channels, channels);
            }
        }
        v.data = flipped;
    }

    private static void shift(Value v, double by) {
        for (int i = 0; i < v.data.length; i++) {
            v.data[i] += (float) by;
        }
    }

    private static void contrast(Value v, double factor) {
        double mean = 0;
        for (float value : v.data) {
            mean += value / v.data.length;
        }
        for (int i = 0; i < v.data.length; i++) {
            v.data[i] = (float) ((v.data[i] - mean) * factor + mean);
        }
    }

    private static void crop(Value v, int size, SplittableRandom random) {
        int top = random.nextInt(v.sizes[0] - size + 1);
        int left = random.nextInt(v.sizes[1] - size + 1);
        int channels = channels(v);
        float[] cut = new float[size * size * channels];
        for (int y = 0; y < size; y++) {
            int from = ((top + y) * v.sizes[1] + left) * channels;
            System.arraycopy(v.data, from, cut, y * size * channels, size * channels);
        }
        v.data = cut;
        v.sizes = new int[] {size, size, channels};
    }

    /** Bilinear between pixel centres. */
    private static void resize(Value v, int high, int wide) {
        int channels = channels(v);
        float[] made = new float[high * wide * channels];
        for (int y = 0; y < high; y++) {
            double sy = clamp((y + 0.5) * v.sizes[0] / high - 0.5, v.sizes[0]);
            for (int x = 0; x < wide; x++) {
                double sx = clamp((x + 0.5) * v.sizes[1] / wide - 0.5, v.sizes[1]);
                for (int c = 0; c < channels; c++) {
                    made[(y * wide + x) * channels + c] = (float) between(v, sy, sx, c, channels);
                }
            }
        }
        v.data = made;
        v.sizes = v.sizes.length > 2 ? new int[] {high, wide, channels} : new int[] {high, wide};
    }

    private static double clamp(double at, int size) {
        return Math.max(0, Math.min(size - 1, at));
    }

    private static double between(Value v, double y, double x, int c, int channels) {
        int y0 = (int) y;
        int x0 = (int) x;
        int y1 = Math.min(y0 + 1, v.sizes[0] - 1);
        int x1 = Math.min(x0 + 1, v.sizes[1] - 1);
        double fy = y - y0;
        double fx = x - x0;
        double top = v.data[(y0 * v.sizes[1] + x0) * channels + c] * (1 - fx)
                + v.data[(y0 * v.sizes[1] + x1) * channels + c] * fx;
        double low = v.data[(y1 * v.sizes[1] + x0) * channels + c] * (1 - fx)
                + v.data[(y1 * v.sizes[1] + x1) * channels + c] * fx;
        return top * (1 - fy) + low * fy;
    }

    private static void rotate(Value v, int quarters) {
        for (int i = 0; i < quarters; i++) {
            int high = v.sizes[0];
            int wide = v.sizes[1];
            float[] turned = new float[v.data.length];
            for (int y = 0; y < high; y++) {
                for (int x = 0; x < wide; x++) {
                    turned[(wide - 1 - x) * high + y] = v.data[y * wide + x];
                }
            }
            v.data = turned;
            v.sizes = new int[] {wide, high};
        }
    }

    /** Scales an image by how many of some random boxes are left when those that overlap a better one are dropped. */
    private static void scale(Value v, int boxes, int most, SplittableRandom random) {
        double[][] box = new double[boxes][4];
        for (double[] one : box) {
            double y = random.nextDouble();
            double x = random.nextDouble();
            one[0] = Math.min(y, x);
            one[1] = random.nextDouble() / 2;
            one[2] = one[0] + random.nextDouble() / 2;
            one[3] = one[1] + random.nextDouble() / 2;
        }
        int kept = 0;
        boolean[] isDropped = new boolean[boxes];
        for (int i = 0; i < boxes && kept < most; i++) {
            if (isDropped[i]) {
                continue;
            }
            kept++;
            for (int j = i + 1; j < boxes; j++) {
                isDropped[j] |= overlap(box[i], box[j]) > 0.5;
            }
        }
        float factor = (1 + (float) kept / boxes) / 2;
        for (int i = 0; i < v.data.length; i++) {
            v.data[i] *= factor;
        }
    }

    private static double overlap(double[] a, double[] b) {
        double high = Math.max(0, Math.min(a[2], b[2]) - Math.max(a[0], b[0]));
        double wide = Math.max(0, Math.min(a[3], b[3]) - Math.max(a[1], b[1]));
        double both = high * wide;
        double all = (a[2] - a[0]) * (a[3] - a[1]) + (b[2] - b[0]) * (b[3] - b[1]) - both;
        return all == 0 ? 0 : both / all;
    }

    private static void frame(Value v, int length, int step) {
        int width = v.sizes[1];
        int frames = (v.sizes[0] - length) / step + 1;
        float[] made = new float[frames * length * width];
        for (int i = 0; i < frames; i++) {
            System.arraycopy(v.data, i * step * width, made, i * length * width, length * width);
        }
        v.data = made;
        v.sizes = new int[] {frames, length, width};
    }

    /** Magnitudes of frames under a Hann window. */
    private static void spectrum(Value v, int length, int step) {
        int frames = (v.data.length - length) / step + 1;
        int bins = length / 2 + 1;
        float[] made = new float[frames * bins];
        for (int i = 0; i < frames; i++) {
            for (int k = 0; k < bins; k++) {
                double re = 0;
                double im = 0;
                for (int t = 0; t < length; t++) {
                    double x = v.data[i * step + t] * (0.5 - 0.5 * Math.cos(2 * Math.PI * t / length));
                    re += x * Math.cos(2 * Math.PI * k * t / length);
                    im -= x * Math.sin(2 * Math.PI * k * t / length);
                }
                made[i * bins + k] = (float) Math.hypot(re, im);
            }
        }
        v.data = made;
        v.sizes = new int[] {frames, bins, 1};
    }

    /** Real parts of the Fourier transform over both axes. */
    private static void fourier(Value v) {
        int high = v.sizes[0];
        int wide = v.sizes[1];
        double[] re = new double[high * wide];
        double[] im = new double[high * wide];
        for (int y = 0; y < high; y++) {
            for (int k = 0; k < wide; k++) {
                for (int x = 0; x < wide; x++) {
                    double angle = -2 * Math.PI * k * x / wide;
                    re[y * wide + k] += v.data[y * wide + x] * Math.cos(angle);
                    im[y * wide + k] += v.data[y * wide + x] * Math.sin(angle);
                }
            }
        }
        float[] made = new float[high * wide];
        for (int k = 0; k < wide; k++) {
            for (int j = 0; j < high; j++) {
                double sum = 0;
                for (int y = 0; y < high; y++) {
                    double angle = -2 * Math.PI * j * y / high;
                    sum += re[y * wide + k] * Math.cos(angle) - im[y * wide + k] * Math.sin(angle);
                }
                made[j * wide + k] = (float) sum;
            }
        }
        v.data = made;
    }
}
