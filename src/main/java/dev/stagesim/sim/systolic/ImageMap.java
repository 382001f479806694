package dev.stagesim.sim.systolic;

/** Word of the image under tap {@code column} of the window of pixel {@code row}. */
final class ImageMap implements AddressMap {
    private final boolean isPartial;
    private final int height;
    private final int width;
    private final int[] pixelTop;
    private final int[] pixelLeft;
    private final long[] pixelBase;
    private final int[] tapTop;
    private final int[] tapLeft;
    private final long[] tapBase;

    ImageMap(LayerShape layer, TapSelection taps) {
        isPartial = layer.hasPartialWindows();
        height = layer.height();
        width = layer.width();
        int pixels = layer.pixels();
        pixelTop = new int[pixels];
        pixelLeft = new int[pixels];
        pixelBase = new long[pixels];
        int across = layer.outWidth();
        for (int i = 0; i < pixels; i++) {
            pixelTop[i] = i / across * layer.strideHeight();
            pixelLeft[i] = i % across * layer.strideWidth();
            pixelBase[i] = ((long) pixelTop[i] * width + pixelLeft[i]) * layer.channels();
        }
        int count = taps.count();
        tapTop = new int[count];
        tapLeft = new int[count];
        tapBase = new long[count];
        int perRow = layer.filterWidth() * layer.channels();
        for (int i = 0; i < count; i++) {
            int tap = taps.original(i);
            tapTop[i] = tap / perRow;
            tapLeft[i] = tap % perRow / layer.channels();
            tapBase[i] = ((long) tapTop[i] * width + tapLeft[i]) * layer.channels() + tap % layer.channels();
        }
    }

    @Override
    public long at(int pixel, int tap) {
        if (isPartial && (pixelTop[pixel] + tapTop[tap] >= height || pixelLeft[pixel] + tapLeft[tap] >= width)) {
            return -1;
        }
        return pixelBase[pixel] + tapBase[tap];
    }
}
