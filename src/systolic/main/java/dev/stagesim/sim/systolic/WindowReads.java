package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.FetchPositions;
import dev.stagesim.sim.systolic.order.Stream;

/**
 * Reads of an image whose words may belong to several windows.
 *
 * <p>A word has a copy in one line per window that contains it. The line of the requesting window is computed directly.
 * Only if that line is not on chip are its remaining copies searched, window by window. No state is stored per word.
 */
final class WindowReads extends UserReads {
    private final FetchPositions places;
    private final ImageCopies copies;
    private final long lineWords;

    WindowReads(
            Stream stream,
            ReadWindow window,
            FetchPositions places,
            ImageCopies copies,
            long lineWords,
            boolean countsWaitTwice) {
        super(stream, window, countsWaitTwice);
        this.places = places;
        this.copies = copies;
        this.lineWords = lineWords;
    }

    @Override
    void readCycle(int cycle, long now) {
        int count = places.words(stream, cycle);
        if (count == 0) {
            return;
        }
        long word = places.firstWord(stream, cycle);
        if (areVisible(word, word + count - 1)) {
            return;
        }
        int high = stream.highPort(cycle);
        for (int port = stream.lowPort(cycle); port <= high; port++) {
            long address = stream.at(cycle, port);
            if (address >= 0) {
                while (!window.contains(word / lineWords) && !copies.isVisible(address, window)) {
                    fetch(now);
                }
                word++;
            }
        }
    }

    private boolean areVisible(long first, long last) {
        for (long line = first / lineWords; line <= last / lineWords; line++) {
            if (!window.contains(line)) {
                return false;
            }
        }
        return true;
    }
}
