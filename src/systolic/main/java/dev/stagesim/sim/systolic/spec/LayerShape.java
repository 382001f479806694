package dev.stagesim.sim.systolic.spec;

/**
 * Dimensions of one layer as a convolution. A matrix product M x K times K x N is an M x K image with N filters of size
 * 1 x K.
 *
 * @param filterHeight filter height, at most {@code height}
 * @param filterWidth filter width, at most {@code width}
 * @param strideHeight step along the height
 * @param strideWidth step along the width
 * @param kept weights kept per block of {@code block} weights along K if the filters are sparse
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

    /** Creates the product of an {@code m x k} and a {@code k x n} matrix. */
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

    /** Rows of the output, including windows that extend past the edge. */
    public int outHeight() {
        return (int) ((height - filterHeight + 2L * strideHeight - 1) / strideHeight);
    }

    /** Columns of the output, including windows that extend past the edge. */
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

    /** Multiply-accumulate operations of the dense layer. */
    public long macs() {
        return (long) pixels() * filters * taps();
    }

    public long imageWords() {
        return (long) height * width * channels;
    }

    /** True if no two windows share a word. */
    public boolean hasOneWindowPerWord() {
        return (strideHeight >= filterHeight || outHeight() == 1)
                && (strideWidth >= filterWidth || outWidth() == 1)
                && !hasPartialWindows();
    }

    /** True if each window consists of complete image rows and windows do not overlap, as in a matrix product. */
    public boolean hasDisjointWindows() {
        return filterWidth == width && (strideHeight == filterHeight || outHeight() == 1) && !hasPartialWindows();
    }

    /** True if some windows extend past the edge of the image. Only the last row and the last column of windows can. */
    public boolean hasPartialWindows() {
        return lastRows() < filterHeight || lastColumns() < filterWidth;
    }

    /** Rows of the bottom windows that are inside the image. */
    public int lastRows() {
        return inside(height, filterHeight, strideHeight, outHeight());
    }

    /** Columns of the rightmost windows that are inside the image. */
    public int lastColumns() {
        return inside(width, filterWidth, strideWidth, outWidth());
    }

    private static int inside(int size, int filter, int stride, int windows) {
        return (int) Math.max(0, Math.min(filter, size - (windows - 1L) * stride));
    }

    public long windowedWords() {
        return covered(filterHeight, strideHeight, outHeight(), lastRows())
                * covered(filterWidth, strideWidth, outWidth(), lastColumns())
                * channels;
    }

    private static long covered(int filter, int stride, int windows, int last) {
        return (windows - 1L) * Math.min(filter, stride) + (windows == 1 ? filter : last);
    }
}
