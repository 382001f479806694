package dev.stagesim.sim.collective;

import dev.stagesim.sim.collective.spec.ChunkOrder;
import org.jspecify.annotations.Nullable;

/** A queue of chunks. A prefix of it has been started. */
final class StreamQueue {
    private @Nullable ChunkState last;
    private @Nullable ChunkState firstWaiting;
    private int running;

    /** Inserts a chunk after the started ones, at its position among the waiting ones. */
    void insert(ChunkState stream, ChunkOrder order) {
        ChunkState after = order == ChunkOrder.ALTERNATING ? alternate(stream) : null;
        if (after == null) {
            after = last;
            while (after != null && !after.isStarted && goesFirst(stream, after, order)) {
                after = after.predecessor;
            }
        }
        stream.predecessor = after;
        if (after == null || after.isStarted) {
            stream.successor = firstWaiting;
            firstWaiting = stream;
        } else {
            stream.successor = after.successor;
        }
        if (after != null) {
            after.successor = stream;
        }
        if (stream.successor == null) {
            last = stream;
        } else {
            stream.successor.predecessor = stream;
        }
    }

    private static boolean goesFirst(ChunkState stream, ChunkState waiting, ChunkOrder order) {
        return switch (order) {
            case FIFO -> waiting.priority < stream.priority;
            case SMALLEST_FIRST -> waiting.size() > stream.size();
            case FEWEST_PHASES_FIRST -> waiting.phasesLeft() > stream.phasesLeft();
            case ALTERNATING -> false;
        };
    }

    /** The first of two waiting neighbours with equal operations that differ from the chunk's, or null. */
    private @Nullable ChunkState alternate(ChunkState stream) {
        ChunkState predecessor = null;
        for (ChunkState at = firstWaiting; at != null; at = at.successor) {
            boolean isOther = at.isGathering() != stream.isGathering();
            if (isOther && predecessor != null && predecessor.isGathering() == at.isGathering()) {
                return predecessor;
            }
            predecessor = at;
        }
        return null;
    }

    /** Removes a started chunk. It still counts as running until {@link #release}. */
    void remove(ChunkState stream) {
        if (stream.predecessor != null) {
            stream.predecessor.successor = stream.successor;
        }
        if (stream.successor == null) {
            last = stream.predecessor;
        } else {
            stream.successor.predecessor = stream.predecessor;
        }
        stream.predecessor = null;
        stream.successor = null;
    }

    /** True if a chunk waits for its start. */
    boolean hasWaiting() {
        return firstWaiting != null;
    }

    void release() {
        running--;
    }

    /** The next chunk to start, or null if there is none or the limit is reached. */
    @Nullable
    ChunkState next(int limit) {
        ChunkState next = firstWaiting;
        if (next == null || running >= limit) {
            return null;
        }
        firstWaiting = next.successor;
        next.isStarted = true;
        return next;
    }

    /** Counts the chunk returned by {@link #next} as running. */
    void started() {
        running++;
    }
}
