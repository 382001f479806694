package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.FetchPositions;
import dev.stagesim.sim.systolic.order.Stream;

/** Reads of an operand without shared words: the words requested in one cycle are adjacent in fetch order. */
final class RunReads extends UserReads {
    private final FetchPositions places;
    private final long lineWords;

    RunReads(Stream stream, ReadWindow window, FetchPositions places, long lineWords, boolean countsWaitTwice) {
        super(stream, window, countsWaitTwice);
        this.places = places;
        this.lineWords = lineWords;
    }

    @Override
    void readCycle(int cycle, long now) {
        int count = places.words(stream, cycle);
        if (count == 0) {
            return;
        }
        long first = places.firstWord(stream, cycle);
        long lastLine = (first + count - 1) / lineWords;
        for (long line = first / lineWords; line <= lastLine; line++) {
            while (!window.contains(line)) {
                fetch(now);
            }
        }
    }
}
