package dev.stagesim.engine.tf.input;

import java.util.SplittableRandom;

/** Image and signal operations of the input pipeline (verbs), implemented in Java. */
final class HostPictures {
    private HostPictures() {}

    static void apply(HostSample v, String[] w, SplittableRandom random, long number) {
        int[] n = new int[w.length];
        for (int i = 1; i < w.length; i++) {
            n[i] = (int) Double.parseDouble(w[i]);
        }
        switch (w[0]) {
            case "flip_horizontal" -> flip(v, random.nextBoolean(), false);
            case "flip_vertical" -> flip(v, false, random.nextBoolean());
            case "brightness" -> shift(v, (2 * random.nextDouble() - 1) * Double.parseDouble(w[1]));
            case "random_contrast" -> contrast(v, 0.8 + 0.4 * random.nextDouble());
            case "random_crop" -> crop(v, n[1], random);
            case "resize" -> resize(v, n[1], n[2]);
            case "rotate_quarter" -> rotate(v, (int) (number % 4));
            case "fft_real" -> fourier(v);
            default -> throw new IllegalArgumentException(w[0] + " does not run in the host's language");
        }
    }

    private static int channels(HostSample v) {
        return v.sizes.length > 2 ? v.sizes[2] : 1;
    }

    private static void flip(HostSample v, boolean isAcross, boolean isDown) {
        int height = v.sizes[0];
        int width = v.sizes[1];
        int channels = channels(v);
        float[] flipped = new float[v.data.length];
        for (int y = 0; y < height; y++) {
            for (int x = 0; x < width; x++) {
                int from = ((isDown ? height - 1 - y : y) * width + (isAcross ? width - 1 - x : x)) * channels;
                System.arraycopy(v.data, from, flipped, (y * width + x) * channels, channels);
            }
        }
        v.data = flipped;
    }

    private static void shift(HostSample v, double by) {
        for (int i = 0; i < v.data.length; i++) {
            v.data[i] += (float) by;
        }
    }

    private static void contrast(HostSample v, double factor) {
        double mean = 0;
        for (float value : v.data) {
            mean += value / v.data.length;
        }
        for (int i = 0; i < v.data.length; i++) {
            v.data[i] = (float) ((v.data[i] - mean) * factor + mean);
        }
    }

    private static void crop(HostSample v, int size, SplittableRandom random) {
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

    /** Bilinear interpolation between pixel centres. */
    private static void resize(HostSample v, int height, int width) {
        int channels = channels(v);
        float[] result = new float[height * width * channels];
        for (int y = 0; y < height; y++) {
            double sy = clamp((y + 0.5) * v.sizes[0] / height - 0.5, v.sizes[0]);
            for (int x = 0; x < width; x++) {
                double sx = clamp((x + 0.5) * v.sizes[1] / width - 0.5, v.sizes[1]);
                for (int c = 0; c < channels; c++) {
                    result[(y * width + x) * channels + c] = (float) interpolate(v, sy, sx, c, channels);
                }
            }
        }
        v.data = result;
        v.sizes = v.sizes.length > 2 ? new int[] {height, width, channels} : new int[] {height, width};
    }

    private static double clamp(double at, int size) {
        return Math.max(0, Math.min(size - 1, at));
    }

    private static double interpolate(HostSample v, double y, double x, int c, int channels) {
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

    private static void rotate(HostSample v, int quarters) {
        for (int i = 0; i < quarters; i++) {
            int height = v.sizes[0];
            int width = v.sizes[1];
            float[] turned = new float[v.data.length];
            for (int y = 0; y < height; y++) {
                for (int x = 0; x < width; x++) {
                    turned[(width - 1 - x) * height + y] = v.data[y * width + x];
                }
            }
            v.data = turned;
            v.sizes = new int[] {width, height};
        }
    }

    /** Real part of the Fourier transform over both axes. */
    private static void fourier(HostSample v) {
        int height = v.sizes[0];
        int width = v.sizes[1];
        double[] re = new double[height * width];
        double[] im = new double[height * width];
        for (int y = 0; y < height; y++) {
            for (int k = 0; k < width; k++) {
                for (int x = 0; x < width; x++) {
                    double angle = -2 * Math.PI * k * x / width;
                    re[y * width + k] += v.data[y * width + x] * Math.cos(angle);
                    im[y * width + k] += v.data[y * width + x] * Math.sin(angle);
                }
            }
        }
        float[] result = new float[height * width];
        for (int k = 0; k < width; k++) {
            for (int j = 0; j < height; j++) {
                double sum = 0;
                for (int y = 0; y < height; y++) {
                    double angle = -2 * Math.PI * j * y / height;
                    sum += re[y * width + k] * Math.cos(angle) - im[y * width + k] * Math.sin(angle);
                }
                result[j * width + k] = (float) sum;
            }
        }
        v.data = result;
    }
}
