package dev.stagesim.sim.systolic;

import dev.stagesim.sim.systolic.order.Stream;
import dev.stagesim.sim.systolic.spec.TrafficSpan;

/** Reads of one operand over an interface with a configured bandwidth (USER mode). */
abstract class UserReads {
    final Stream stream;
    final ReadWindow window;
    private final boolean countsWaitTwice;
    private boolean isFilled;
    long offset;

    UserReads(Stream stream, ReadWindow window, boolean countsWaitTwice) {
        this.stream = stream;
        this.window = window;
        this.countsWaitTwice = countsWaitTwice;
    }

    /** Serves one cycle of the fold; returns the arrival cycle of its words. */
    final long serve(int cycle, long now) {
        offset = 1;
        if (!isFilled) {
            isFilled = true;
            offset += window.fill();
        }
        readCycle(cycle, now);
        return now + offset;
    }

    /** Serves one cycle's words and increases {@link #offset} by the waiting time in cycles. */
    abstract void readCycle(int cycle, long now);

    /** Advances the window and waits for the new lines. */
    final void fetch(long now) {
        long wait = window.advance() - (now + offset);
        if (countsWaitTwice) {
            offset += wait;
        }
        if (wait > 0) {
            offset += wait;
        }
    }

    final TrafficSpan span() {
        return window.span();
    }
}
