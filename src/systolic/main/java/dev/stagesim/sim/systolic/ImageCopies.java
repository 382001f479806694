package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.FetchPositions;
import dev.stagesim.sim.systolic.order.TapSelection;
import dev.stagesim.sim.systolic.spec.LayerShape;

/** Finds the fetch positions of an image word: one for every window that contains the word. */
record ImageCopies(FetchPositions places, LayerShape layer, TapSelection taps, long lineWords) {
    /** True if at least one copy of the word is on chip. */
    boolean isVisible(long address, ReadWindow window) {
        int channels = layer.channels();
        int channel = (int) (address % channels);
        int x = (int) (address / channels % layer.width());
        int y = (int) (address / channels / layer.width());
        int lowest = Math.min(layer.outHeight() - 1, y / layer.strideHeight());
        int rightmost = Math.min(layer.outWidth() - 1, x / layer.strideWidth());
        for (int outRow = lowest; outRow >= 0; outRow--) {
            long row = y - (long) outRow * layer.strideHeight();
            if (row >= layer.filterHeight()) {
                break;
            }
            for (int outColumn = rightmost; outColumn >= 0; outColumn--) {
                long column = x - (long) outColumn * layer.strideWidth();
                if (column >= layer.filterWidth()) {
                    break;
                }
                int tap = (int) ((row * layer.filterWidth() + column) * channels) + channel;
                if (taps.keeps(tap)
                        && window.contains(places.wordOf(outRow * layer.outWidth() + outColumn, (int) taps.before(tap))
                                / lineWords)) {
                    return true;
                }
            }
        }
        return false;
    }
}
