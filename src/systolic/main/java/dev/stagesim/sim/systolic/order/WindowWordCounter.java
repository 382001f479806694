package dev.stagesim.sim.systolic.order;

import dev.stagesim.sim.systolic.spec.LayerShape;

/**
 * Word counts of an image with windows that may extend past the edge.
 *
 * <p>Only the bottom and the rightmost windows are clipped, all by the same amount. So there are four kinds of windows,
 * and every count is a sum of at most four products.
 */
public final class WindowWordCounter implements WordCounter {
    private final LayerShape layer;
    private final TapSelection taps;
    private final boolean isLaneTap;
    private final int across;
    private final long pixels;
    private final int lastRows;
    private final int lastColumns;
    private final int perRow;

    /**
     * @param isLaneTap true if lanes are filter weights and places are pixels (weight stationary); false for the
     * reverse
     */
    public WindowWordCounter(LayerShape layer, TapSelection taps, boolean isLaneTap) {
        this.layer = layer;
        this.taps = taps;
        this.isLaneTap = isLaneTap;
        across = layer.outWidth();
        pixels = layer.pixels();
        lastRows = layer.lastRows();
        lastColumns = layer.lastColumns();
        perRow = layer.filterWidth() * layer.channels();
    }

    @Override
    public long before(int lane, int place) {
        return isLaneTap ? pixelsBefore(lane, place) : tapsBefore(lane, place);
    }

    /** Words under the taps less than {@code tap} in a pixel's window. */
    private long tapsBefore(int pixel, int tap) {
        boolean isLowest = pixel >= pixels - across;
        boolean isRightmost = pixel % across == across - 1;
        return kept(tap, isLowest ? lastRows : layer.filterHeight(), isRightmost ? lastColumns : layer.filterWidth());
    }

    /** Words under a tap in the windows of the pixels less than {@code pixel}. */
    private long pixelsBefore(int tap, int pixel) {
        int original = taps.original(tap);
        long count = original / perRow < lastRows ? pixel : Math.min(pixel, pixels - across);
        return original % perRow / layer.channels() < lastColumns ? count : count - count / across;
    }

    /** Kept taps less than {@code tap} in the first rows and columns of a window. */
    private long kept(int tap, int rows, int columns) {
        int end = tap >= taps.count() ? taps.taps() : taps.original(tap);
        if (columns == layer.filterWidth()) {
            return taps.before(Math.min(end, rows * (long) perRow));
        }
        long width = (long) columns * layer.channels();
        int whole = Math.min(rows, end / perRow);
        long sum = 0;
        if (taps.isDense()) {
            sum = whole * width;
        } else {
            for (long row = 0; row < whole; row++) {
                sum += taps.before(row * perRow + width) - taps.before(row * perRow);
            }
        }
        if (whole < rows) {
            long from = (long) whole * perRow;
            sum += taps.before(Math.min(end, from + width)) - taps.before(Math.min(end, from));
        }
        return sum;
    }

    @Override
    public long lanesBefore(int lane) {
        return isLaneTap ? tapLanesBefore(lane) : pixelLanesBefore(lane);
    }

    private long pixelLanesBefore(int lane) {
        int all = taps.count();
        long upper = Math.min(lane, pixels - across);
        long lower = lane - upper;
        long upperRight = upper / across;
        long lowerRight = lower / across;
        return (upper - upperRight) * all
                + upperRight * kept(all, layer.filterHeight(), lastColumns)
                + (lower - lowerRight) * kept(all, lastRows, layer.filterWidth())
                + lowerRight * kept(all, lastRows, lastColumns);
    }

    private long tapLanesBefore(int lane) {
        long inRows = kept(lane, lastRows, layer.filterWidth());
        long inColumns = kept(lane, layer.filterHeight(), lastColumns);
        long inBoth = kept(lane, lastRows, lastColumns);
        long upper = pixels - across;
        return inBoth * pixels
                + (inRows - inBoth) * (pixels - layer.outHeight())
                + (inColumns - inBoth) * upper
                + (lane - inRows - inColumns + inBoth) * (upper - layer.outHeight() + 1);
    }

    /** The last place of a lane with a word, or -1 if none. */
    int last(int lane) {
        if (isLaneTap) {
            long count = pixelsBefore(lane, (int) pixels);
            boolean isCut = taps.original(lane) % perRow / layer.channels() >= lastColumns;
            if (count == 0) {
                return -1;
            }
            // Without the rightmost windows, pixel p is word p - p / across.
            return (int) (isCut ? count - 1 + (count - 1) / (across - 1) : count - 1);
        }
        boolean isLowest = lane >= pixels - across;
        boolean isRightmost = lane % across == across - 1;
        int rows = isLowest ? lastRows : layer.filterHeight();
        long width = (long) (isRightmost ? lastColumns : layer.filterWidth()) * layer.channels();
        for (int row = rows - 1; row >= 0; row--) {
            long end = taps.before((long) row * perRow + width);
            if (end > taps.before((long) row * perRow)) {
                return (int) end - 1;
            }
        }
        return -1;
    }
}
