package dev.stagesim.engine.tf.input;

/** A sample in Java memory. */
final class HostSample {
    float[] data;
    int[] sizes;

    HostSample(float[] data, int... sizes) {
        this.data = data;
        this.sizes = sizes;
    }

    int last() {
        return sizes[sizes.length - 1];
    }

    /** Supplies one value after another. */
    interface Draw {
        float next();
    }

    void fill(Draw draw) {
        for (int i = 0; i < data.length; i++) {
            data[i] = draw.next();
        }
    }
}
