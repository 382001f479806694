package dev.stagesim.stage.vidursim;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.metrics.BatchWindow;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.BitSet;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;

/**
 * Writes {@code token_metrics.csv} during the simulation. Requests are in order of their number; each is written when it and
 * all its predecessors are complete.
 */
final class TokenWriter implements ServingRecorder, Closeable {
    private final TableWriter out;
    private final ServingInput input;
    private final BatchWindow window;
    private final TokenTimes tokens;
    private final BitSet done;
    private final BitSet completing = new BitSet();

    /** Times of entry in a closed loop, in ns. */
    private final long[] entered;

    private long[] line = new long[1024];
    private int nextToWrite;
    private double lastTime = Double.NaN;
    private long lastNs;

    TokenWriter(Path folder, ServingInput input, BatchWindow window) throws IOException {
        this.window = window;
        this.out = TableWriter.create(folder.resolve(Tables.TOKEN_METRICS.name()), Tables.TOKEN_METRICS, List.of());
        this.input = input;
        this.tokens = new TokenTimes(input.trace().size());
        this.done = new BitSet(input.trace().size());
        entered = new long[input.isClosed() ? input.trace().size() : 0];
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.TOKENS);
    }

    @Override
    public void requestArrived(int request, double time) {
        if (input.isClosed()) {
            entered[request] = RoundedNanos.of(time);
        }
    }

    @Override
    public void tokenEmitted(int request, int index, double time) {
        if (time != lastTime) {
            lastTime = time;
            lastNs = RoundedNanos.of(time);
        }
        tokens.add(request, lastNs);
        if (completing.get(request)) {
            completing.clear(request);
            done.set(request);
            writeReady();
        }
    }

    /** The last token of the request is reported next. */
    @Override
    public void requestCompleted(int request, double time, RequestStates states) {
        completing.set(request);
    }

    /** The request gets no more tokens, so later requests can be written. */
    @Override
    public void requestWithdrawn(int request, double time) {
        if (window.isAll()) {
            done.set(request);
            writeReady();
        }
    }

    private void writeReady() {
        Unchecked.run(() -> {
            int end = done.nextClearBit(nextToWrite);
            while (nextToWrite < end) {
                write(nextToWrite++);
            }
        });
    }

    private void write(int request) throws IOException {
        int count = tokens.count(request);
        if (line.length < count) {
            line = new long[count * 2];
        }
        tokens.drain(request, line);
        if (window.isExcluded(request)) {
            return;
        }
        long before = input.isClosed() ? entered[request] : input.arrivalNs(request);
        int id = input.id(request);
        for (int i = 0; i < count; i++) {
            out.put((long) id).put((long) i).put(line[i]).put(line[i] - before);
            out.endRow();
            before = line[i];
        }
    }

    /** Writes the incomplete requests and closes the file. */
    @Override
    public void close() throws IOException {
        try (out) {
            while (nextToWrite < input.trace().size()) {
                write(nextToWrite++);
            }
        }
    }

    /**
     * Times of output tokens per request, stored until the request is written.
     *
     * <p>Each request has a list of fixed-size chunks in one array. Chunks are reused after the request is dropped, so memory
     * is proportional to the tokens in flight.
     */
    private static final class TokenTimes {
        private static final int CHUNK = 32;

        private final int[] firstChunk;
        private final int[] lastChunk;
        private final int[] counts;
        private long[] times = new long[CHUNK * 64];
        private int[] next = new int[64];
        private int used;
        private int free = -1;

        TokenTimes(int requests) {
            firstChunk = new int[requests];
            lastChunk = new int[requests];
            counts = new int[requests];
        }

        void add(int request, long time) {
            int count = counts[request]++;
            int offset = count % CHUNK;
            if (offset == 0) {
                int chunk = take();
                if (count == 0) {
                    firstChunk[request] = chunk;
                } else {
                    next[lastChunk[request]] = chunk;
                }
                lastChunk[request] = chunk;
            }
            times[lastChunk[request] * CHUNK + offset] = time;
        }

        int count(int request) {
            return counts[request];
        }

        /** Copies the times of a request to the start of {@code into}, which must be long enough, and drops them. */
        void drain(int request, long[] into) {
            int left = counts[request];
            int chunk = firstChunk[request];
            for (int at = 0; left > 0; at += CHUNK) {
                int length = Math.min(CHUNK, left);
                System.arraycopy(times, chunk * CHUNK, into, at, length);
                left -= length;
                int following = next[chunk];
                next[chunk] = free;
                free = chunk;
                chunk = following;
            }
            counts[request] = 0;
        }

        private int take() {
            if (free >= 0) {
                int chunk = free;
                free = next[chunk];
                return chunk;
            }
            if (used == next.length) {
                next = Arrays.copyOf(next, used * 2);
                times = Arrays.copyOf(times, Math.multiplyExact(used * 2, CHUNK));
            }
            return used++;
        }
    }
}
