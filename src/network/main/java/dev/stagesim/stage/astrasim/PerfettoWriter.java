package dev.stagesim.stage.astrasim;

import dev.stagesim.io.json.TraceEvents;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.TreeSet;

/**
 * Writes {@code trace.json} in the Trace Event format of the Perfetto UI and Chrome. Each NPU is a process with threads
 * for computation, communication and the rest; overlapping nodes use additional threads of their kind.
 */
final class PerfettoWriter {
    private static final String[] SORTS = {"computation", "communication", "host", "memory"};

    /** Thread numbers per kind; an upper bound of the number of events. */
    private static final int LANES = 1 << 28;

    private final TraceEvents events;
    private final int limit;
    private boolean isCut;

    private PerfettoWriter(TraceEvents events, int limit) {
        this.events = events;
        this.limit = limit;
    }

    /** Writes the trace. Returns true if nodes beyond {@code limit} were omitted. */
    static boolean write(Path file, NodeLog log, int limit) throws IOException {
        try (BufferedWriter out = Files.newBufferedWriter(file)) {
            PerfettoWriter writer = new PerfettoWriter(new TraceEvents(out, "ns"), limit);
            writer.nodes(log);
            writer.events.finish();
            return writer.isCut;
        }
    }

    private void nodes(NodeLog log) {
        int written = 0;
        for (int npu = 0; npu < log.npus(); npu++) {
            List<Lanes> lanes = new ArrayList<>();
            for (int sort = 0; sort < SORTS.length; sort++) {
                lanes.add(new Lanes());
            }
            int before = written;
            for (int i : log.ofNpu(npu)) {
                if (written == limit) {
                    isCut = true;
                    return;
                }
                if (written == before) {
                    events.process(npu, "NPU " + npu);
                }
                int sort = sort(log.kind(i));
                node(log, npu, i, sort * LANES + lane(lanes.get(sort), log.start(i), log.end(i), npu, sort));
                written++;
            }
        }
    }

    /** Lanes of one kind: occupied lanes by end time, and free lane numbers. */
    private static final class Lanes {
        private final PriorityQueue<long[]> held = new PriorityQueue<>(
                Comparator.<long[]>comparingLong(lane -> lane[0]).thenComparingLong(lane -> lane[1]));
        private final TreeSet<Integer> free = new TreeSet<>();
        private int made;

        /** Returns the first lane that is free at {@code start}, which must not decrease between calls. */
        int take(long start, long end) {
            for (long[] first = held.peek(); first != null && first[0] <= start; first = held.peek()) {
                free.add((int) held.remove()[1]);
            }
            Integer lane = free.pollFirst();
            int number = lane == null ? made++ : lane;
            held.add(new long[] {end, number});
            return number;
        }
    }

    /** Returns the lane of a node and names new lanes. */
    private int lane(Lanes lanes, long start, long end, int npu, int sort) {
        int before = lanes.made;
        int lane = lanes.take(start, end);
        if (lanes.made > before) {
            events.thread(npu, sort * LANES + lane, SORTS[sort] + (lane == 0 ? "" : " " + (lane + 1)));
        }
        return lane;
    }

    private static int sort(NodeLog.Kind kind) {
        return switch (kind) {
            case COMPUTE -> 0;
            case COLLECTIVE, SEND, RECEIVE -> 1;
            case HOST, OTHER -> 2;
            case MEMORY -> 3;
        };
    }

    private void node(NodeLog log, int npu, int i, int thread) {
        String kind = log.kind(i).text();
        String name = log.name(i).isEmpty() ? kind + " " + log.id(npu, i) : log.name(i);
        events.event('X')
                .text("name", name)
                .text("cat", kind)
                .number("pid", npu)
                .number("tid", thread);
        events.micros("ts", log.start(i))
                .micros("dur", log.end(i) - log.start(i))
                .args();
        events.text("node", String.valueOf(log.id(npu, i)))
                .number("bytes", log.bytes(i))
                .end();
    }
}
