package dev.stagesim.sim.systolic;

/** Reads of one operand over an interface of given bandwidth. */
abstract class UserReads {
    final Stream stream;
    final ReadWindow window;
    private final boolean isDoubled;
    private boolean isFilled;
    long offset;

    UserReads(Stream stream, ReadWindow window, boolean isDoubled) {
        this.stream = stream;
        this.window = window;
        this.isDoubled = isDoubled;
    }

    /** Serves one cycle of the fold; answers the cycle at which its words are there. */
    final long serve(int cycle, long now) {
        offset = 1;
        if (!isFilled) {
            isFilled = true;
            offset += window.fill();
        }
        serveWords(cycle, now);
        return now + offset;
    }

    /** Serves the words of a cycle, raising {@link #offset} by what they wait. */
    abstract void serveWords(int cycle, long now);

    /** Moves the window and waits for it. */
    final void fetch(long now) {
        long wait = window.advance() - (now + offset);
        if (isDoubled) {
            offset += wait;
        }
        if (wait > 0) {
            offset += wait;
        }
    }

    final Span span() {
        return window.span();
    }
}
