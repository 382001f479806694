package dev.stagesim.sim.collective;

import org.jspecify.annotations.Nullable;

/** A queue of chunks, the first of which are started. */
final class StreamQueue {
    private @Nullable Stream last;
    private @Nullable Stream firstWaiting;
    private int running;

    /** Puts a chunk behind the started ones and behind the waiting ones of no lower priority. */
    void insert(Stream stream) {
        Stream after = last;
        while (after != null && !after.isStarted && after.priority < stream.priority) {
            after = after.before;
        }
        stream.before = after;
        if (after == null || after.isStarted) {
            stream.behind = firstWaiting;
            firstWaiting = stream;
        } else {
            stream.behind = after.behind;
        }
        if (after != null) {
            after.behind = stream;
        }
        if (stream.behind == null) {
            last = stream;
        } else {
            stream.behind.before = stream;
        }
    }

    /** Takes out a chunk that has been started; it keeps its place among the running ones until {@link #release}. */
    void remove(Stream stream) {
        if (stream.before != null) {
            stream.before.behind = stream.behind;
        }
        if (stream.behind == null) {
            last = stream.before;
        } else {
            stream.behind.before = stream.before;
        }
        stream.before = null;
        stream.behind = null;
    }

    void release() {
        running--;
    }

    /** The next chunk to start, or null when there is none or as many run as may. */
    @Nullable Stream next(int limit) {
        Stream next = firstWaiting;
        if (next == null || running >= limit) {
            return null;
        }
        firstWaiting = next.behind;
        next.isStarted = true;
        return next;
    }

    /** Counts the chunk that {@link #next} gave. */
    void started() {
        running++;
    }
}
