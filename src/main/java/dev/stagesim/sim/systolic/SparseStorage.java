package dev.stagesim.sim.systolic;

/** Words that sparse filters take. */
final class SparseStorage {
    private static final int WORD_BITS = 32;

    private SparseStorage() {}

    /**
     * Storage of filters with {@code rows} kept weights each.
     *
     * @param layer the layer
     * @param format storage format
     * @param rows kept weights per filter, padding included
     * @param nonZero kept weights of all filters
     */
    static SparseFigures of(LayerShape layer, SparseSpec.Format format, long rows, long nonZero) {
        long original = (long) layer.taps() * layer.filters();
        return switch (format) {
            case CSR -> lists(original, nonZero, layer.taps());
            case CSC -> lists(original, nonZero, layer.filters());
            case ELLPACK_BLOCK -> {
                double bits = layer.block() <= 1 ? 0 : Integer.SIZE - Integer.numberOfLeadingZeros(layer.block() - 1);
                double metadata = rows * layer.filters() * bits / WORD_BITS;
                yield new SparseFigures(original, rows * layer.filters() + metadata, metadata, nonZero, false);
            }
        };
    }

    private static SparseFigures lists(long original, long nonZero, long pointers) {
        long metadata = nonZero + pointers + 1;
        return new SparseFigures(original, nonZero + metadata, metadata, nonZero, true);
    }
}
