package dev.stagesim.sim.systolic;

import java.util.Arrays;

/**
 * Word of the image under tap {@code column} of the window of pixel {@code row}.
 *
 * <p>Where pixels and taps lie is computed once and kept while neighbours are asked for: a fixed amount of memory, whatever
 * the size of the layer.
 */
final class ImageMap implements AddressMap {
    private static final int MOST_KEPT = 1 << 12;

    private final LayerShape layer;
    private final TapSelection taps;
    private final boolean isPartial;
    private final int across;
    private final Kept pixels;
    private final Kept tapsKept;

    /** Places by number, each in the slot of its last digits. */
    private static final class Kept {
        final int mask;
        final int[] number;
        /** Rows and columns of a pixel's window that are within the image, or the row and column of a tap. */
        final int[] vertical;

        final int[] horizontal;
        final long[] base;

        Kept(int count) {
            int size = Math.min(MOST_KEPT, Integer.highestOneBit(Math.max(1, count)));
            mask = size - 1;
            number = new int[size];
            vertical = new int[size];
            horizontal = new int[size];
            base = new long[size];
            Arrays.fill(number, -1);
        }
    }

    ImageMap(LayerShape layer, TapSelection taps) {
        this.layer = layer;
        this.taps = taps;
        isPartial = layer.hasPartialWindows();
        across = layer.outWidth();
        pixels = new Kept(layer.pixels());
        tapsKept = new Kept(taps.count());
    }

    @Override
    public long at(int pixel, int tap) {
        int p = pixel & pixels.mask;
        if (pixels.number[p] != pixel) {
            placePixel(p, pixel);
        }
        int t = tap & tapsKept.mask;
        if (tapsKept.number[t] != tap) {
            placeTap(t, tap);
        }
        if (isPartial
                && (tapsKept.vertical[t] >= pixels.vertical[p] || tapsKept.horizontal[t] >= pixels.horizontal[p])) {
            return -1;
        }
        return pixels.base[p] + tapsKept.base[t];
    }

    private void placePixel(int slot, int pixel) {
        long top = (long) (pixel / across) * layer.strideHeight();
        long left = (long) (pixel % across) * layer.strideWidth();
        pixels.number[slot] = pixel;
        pixels.vertical[slot] = (int) (layer.height() - top);
        pixels.horizontal[slot] = (int) (layer.width() - left);
        pixels.base[slot] = (top * layer.width() + left) * layer.channels();
    }

    private void placeTap(int slot, int tap) {
        int original = taps.original(tap);
        int perRow = layer.filterWidth() * layer.channels();
        int row = original / perRow;
        int column = original % perRow / layer.channels();
        tapsKept.number[slot] = tap;
        tapsKept.vertical[slot] = row;
        tapsKept.horizontal[slot] = column;
        tapsKept.base[slot] = ((long) row * layer.width() + column) * layer.channels() + original % layer.channels();
    }
}
