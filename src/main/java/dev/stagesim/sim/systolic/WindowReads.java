package dev.stagesim.sim.systolic;

/**
 * Reads of an image whose words may belong to several windows.
 *
 * <p>A word lies in a line for every window that holds it. The line that belongs to the window asking is found as for words
 * of one window; the others are looked for, window by window, only while that one is not on chip. Nothing is kept per word.
 */
final class WindowReads extends UserReads {
    private final FetchPlaces places;
    private final ImageCopies copies;
    private final long lineWords;

    WindowReads(
            Stream stream,
            ReadWindow window,
            FetchPlaces places,
            ImageCopies copies,
            long lineWords,
            boolean isDoubled) {
        super(stream, window, isDoubled);
        this.places = places;
        this.copies = copies;
        this.lineWords = lineWords;
    }

    @Override
    void serveWords(int cycle, long now) {
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
                while (!window.shows(word / lineWords) && !copies.isVisible(address, window)) {
                    fetch(now);
                }
                word++;
            }
        }
    }

    private boolean areVisible(long first, long last) {
        for (long line = first / lineWords; line <= last / lineWords; line++) {
            if (!window.shows(line)) {
                return false;
            }
        }
        return true;
    }
}
