package dev.stagesim.sim.systolic;

/** Reads of an operand whose words lie in one line each: the words of a cycle follow each other in fetch order. */
final class RunReads extends UserReads {
    private final PrefetchOrder order;
    private final long lineWords;

    RunReads(Stream stream, ReadWindow window, PrefetchOrder order, long lineWords, boolean isDoubled) {
        super(stream, window, isDoubled);
        this.order = order;
        this.lineWords = lineWords;
    }

    @Override
    void serveWords(int cycle, long now) {
        int count = stream.highPort(cycle) - stream.lowPort(cycle) + 1;
        if (count <= 0) {
            return;
        }
        long first = order.firstWord(stream, cycle);
        long lastLine = (first + count - 1) / lineWords;
        for (long line = first / lineWords; line <= lastLine; line++) {
            while (!window.shows((int) line)) {
                fetch(now);
            }
        }
    }
}
