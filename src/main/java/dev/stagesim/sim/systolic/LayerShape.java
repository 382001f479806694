package dev.stagesim.sim.systolic;

/**
 * One layer as a convolution; a matrix product M x K times K x N is an M x K image under 1 x K filters.
 *
 * @param filterHeight filter height, at most {@code height}
 * @param filterWidth filter width, at most {@code width}
 * @param strideHeight step along the height
 * @param strideWidth step along the width
 * @param kept weights kept of each block of {@code block} along K when the filters are sparse
 * @param block size of those blocks
 */
public record LayerShape(
        String name,
        int height,
        int width,
        int filterHeight,
        int filterWidth,
        int channels,
        int filters,
        int strideHeight,
        int strideWidth,
        int kept,
        int block) {

    /** The product of an {@code m x k} and a {@code k x n} matrix. */
    public static LayerShape gemm(String name, int m, int n, int k) {
        return gemm(name, m, n, k, 1, 1);
    }

    public static LayerShape gemm(String name, int m, int n, int k, int kept, int block) {
        return new LayerShape(name, m, k, 1, k, 1, n, 1, 1, kept, block);
    }

    public LayerShape named(String other) {
        return new LayerShape(
                other,
                height,
                width,
                filterHeight,
                filterWidth,
                channels,
                filters,
                strideHeight,
                strideWidth,
                kept,
                block);
    }

    /** Rows of the output; windows that reach over the edge count. */
    public int outHeight() {
        return (int) ((height - filterHeight + 2L * strideHeight - 1) / strideHeight);
    }

    /** Columns of the output. */
    public int outWidth() {
        return (int) ((width - filterWidth + 2L * strideWidth - 1) / strideWidth);
    }

    /** Output pixels per filter. */
    public int pixels() {
        return Math.multiplyExact(outHeight(), outWidth());
    }

    /** Weights per filter. */
    public int taps() {
        return Math.multiplyExact(Math.multiplyExact(filterHeight, filterWidth), channels);
    }

    /** Multiply-accumulates of the dense layer. */
    public long macs() {
        return (long) pixels() * filters * taps();
    }

    public long imageWords() {
        return (long) height * width * channels;
    }

    /** Whether no two windows share a word. */
    public boolean hasOneWindowPerWord() {
        return (strideHeight >= filterHeight || outHeight() == 1)
                && (strideWidth >= filterWidth || outWidth() == 1)
                && !hasPartialWindows();
    }

    /** Whether the windows are the whole rows of the image one after the other, as in a matrix product. */
    public boolean hasDisjointWindows() {
        return filterWidth == width && (strideHeight == filterHeight || outHeight() == 1) && !hasPartialWindows();
    }

    /** Whether some windows reach over the edge of the image; only the last row and the last column of windows do. */
    public boolean hasPartialWindows() {
        return lastRows() < filterHeight || lastColumns() < filterWidth;
    }

    /** Rows of the lowest windows that are within the image. */
    int lastRows() {
        return inside(height, filterHeight, strideHeight, outHeight());
    }

    /** Columns of the rightmost windows that are within the image. */
    int lastColumns() {
        return inside(width, filterWidth, strideWidth, outWidth());
    }

    private static int inside(int size, int filter, int stride, int windows) {
        return (int) Math.max(0, Math.min(filter, size - (windows - 1L) * stride));
    }

    long windowedWords() {
        return covered(filterHeight, strideHeight, outHeight(), lastRows())
                * covered(filterWidth, strideWidth, outWidth(), lastColumns())
                * channels;
    }

    private static long covered(int filter, int stride, int windows, int last) {
        return (windows - 1L) * Math.min(filter, stride) + (windows == 1 ? filter : last);
    }
}
