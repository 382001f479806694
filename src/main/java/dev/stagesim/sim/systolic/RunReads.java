package dev.stagesim.sim.systolic;

/** Reads of an operand whose words lie in one line each: the words of a cycle follow each other in fetch order. */
final class RunReads extends UserReads {
    private final FetchPlaces places;
    private final long lineWords;

    RunReads(Stream stream, ReadWindow window, FetchPlaces places, long lineWords, boolean isDoubled) {
        super(stream, window, isDoubled);
        this.places = places;
        this.lineWords = lineWords;
    }

    @Override
    void serveWords(int cycle, long now) {
        int count = places.words(stream, cycle);
        if (count == 0) {
            return;
        }
        long first = places.firstWord(stream, cycle);
        long lastLine = (first + count - 1) / lineWords;
        for (long line = first / lineWords; line <= lastLine; line++) {
            while (!window.shows(line)) {
                fetch(now);
            }
        }
    }
}
