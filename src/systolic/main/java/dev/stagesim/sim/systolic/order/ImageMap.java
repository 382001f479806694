package dev.stagesim.sim.systolic.order;

import dev.stagesim.sim.systolic.spec.LayerShape;
import java.util.Arrays;

/**
 * Maps an output pixel and a tap of its filter window to the address of the input value.
 *
 * <p>Positions of pixels and taps are cached because neighbours are requested together. The cache has a fixed size,
 * independent of the layer.
 */
public final class ImageMap implements AddressMap {
    private static final int MAX_CACHED = 1 << 12;

    private final LayerShape layer;
    private final TapSelection taps;
    private final boolean isPartial;
    private final int across;
    private final PositionCache pixels;
    private final PositionCache tapsKept;

    /** Direct-mapped cache of positions; the low bits of a number select its slot. */
    private static final class PositionCache {
        final int mask;
        final int[] number;
        /** For a pixel: rows and columns of its window that are inside the image. For a tap: its row and column. */
        final int[] vertical;

        final int[] horizontal;
        final long[] base;

        PositionCache(int count) {
            int size = Math.min(MAX_CACHED, Integer.highestOneBit(Math.max(1, count)));
            mask = size - 1;
            number = new int[size];
            vertical = new int[size];
            horizontal = new int[size];
            base = new long[size];
            Arrays.fill(number, -1);
        }
    }

    public ImageMap(LayerShape layer, TapSelection taps) {
        this.layer = layer;
        this.taps = taps;
        isPartial = layer.hasPartialWindows();
        across = layer.outWidth();
        pixels = new PositionCache(layer.pixels());
        tapsKept = new PositionCache(taps.count());
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
