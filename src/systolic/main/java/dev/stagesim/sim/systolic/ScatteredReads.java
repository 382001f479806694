package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.Stream;

/** Reads of an image with requested words that are not adjacent in fetch order, as for row-wise sparse filters. */
final class ScatteredReads extends UserReads {
    private final ImageCopies copies;

    ScatteredReads(Stream stream, ReadWindow window, ImageCopies copies, boolean countsWaitTwice) {
        super(stream, window, countsWaitTwice);
        this.copies = copies;
    }

    @Override
    void readCycle(int cycle, long now) {
        int high = stream.highPort(cycle);
        for (int port = stream.lowPort(cycle); port <= high; port++) {
            long address = stream.at(cycle, port);
            while (address >= 0 && !copies.isVisible(address, window)) {
                fetch(now);
            }
        }
    }
}
