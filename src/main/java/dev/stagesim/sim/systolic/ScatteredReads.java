package dev.stagesim.sim.systolic;

/** Reads of an image whose words of a cycle do not follow each other in fetch order, as for filters of unequal sparsity. */
final class ScatteredReads extends UserReads {
    private final ImageCopies copies;

    ScatteredReads(Stream stream, ReadWindow window, ImageCopies copies, boolean isDoubled) {
        super(stream, window, isDoubled);
        this.copies = copies;
    }

    @Override
    void serveWords(int cycle, long now) {
        int high = stream.highPort(cycle);
        for (int port = stream.lowPort(cycle); port <= high; port++) {
            long address = stream.at(cycle, port);
            while (address >= 0 && !copies.isVisible(address, window)) {
                fetch(now);
            }
        }
    }
}
