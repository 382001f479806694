package dev.stagesim.sim.systolic;

/**
 * Reads of an image with overlapping windows, none of which reaches over the edge.
 *
 * <p>A word lies in a line for every window that holds it. The line that belongs to the window asking is found as for words
 * of one window; the others are looked for, window by window, only while that one is not on chip. Nothing is kept per word.
 */
final class WindowReads extends UserReads {
    private final PrefetchOrder order;
    private final LayerShape layer;
    private final long lineWords;

    WindowReads(
            Stream stream,
            ReadWindow window,
            PrefetchOrder order,
            LayerShape layer,
            long lineWords,
            boolean isDoubled) {
        super(stream, window, isDoubled);
        this.order = order;
        this.layer = layer;
        this.lineWords = lineWords;
    }

    @Override
    void serveWords(int cycle, long now) {
        int low = stream.lowPort(cycle);
        int count = stream.highPort(cycle) - low + 1;
        if (count <= 0) {
            return;
        }
        long first = order.firstWord(stream, cycle);
        long end = first + count;
        long at = first;
        while (at < end) {
            long line = at / lineWords;
            long next = Math.min(end, (line + 1) * lineWords);
            while (at < next && !window.shows((int) line)) {
                long address = stream.at(cycle, low + (int) (at - first));
                while (!isVisible(address)) {
                    fetch(now);
                }
                at++;
            }
            at = next;
        }
    }

    /** Whether any window's copy of a word is on chip. */
    private boolean isVisible(long address) {
        int channels = layer.channels();
        int channel = (int) (address % channels);
        int x = (int) (address / channels % layer.width());
        int y = (int) (address / channels / layer.width());
        for (int row = y % layer.strideHeight(); row < layer.filterHeight() && row <= y; row += layer.strideHeight()) {
            int outRow = (y - row) / layer.strideHeight();
            if (outRow >= layer.outHeight()) {
                continue;
            }
            for (int column = x % layer.strideWidth();
                    column < layer.filterWidth() && column <= x;
                    column += layer.strideWidth()) {
                int outColumn = (x - column) / layer.strideWidth();
                if (outColumn < layer.outWidth()) {
                    int tap = (row * layer.filterWidth() + column) * channels + channel;
                    long word = order.wordOf(outRow * layer.outWidth() + outColumn, tap);
                    if (window.shows((int) (word / lineWords))) {
                        return true;
                    }
                }
            }
        }
        return false;
    }
}
