package dev.stagesim.feature.pytorch.link;

import dev.stagesim.feature.pytorch.trace.CommFacts;
import dev.stagesim.feature.pytorch.trace.OpFacts;
import dev.stagesim.sim.core.LongIndex;
import dev.stagesim.sim.core.StableOrder;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Profiler trace of one process: events as columns, by ascending start time and then file order.
 *
 * <p>Only events that linking uses are kept. Times are doubles in microseconds as in the file, so that sums equal those
 * of the profiler's own tools.
 */
public final class DeviceTrace {
    /** Value of a missing number. */
    public static final long NONE = OpFacts.NONE;

    private final String source;
    private final boolean hasSteps;
    private final EventKind[] kinds;
    private final String[] names;
    private final double[] start;
    private final double[] duration;
    private final int[] threads;
    private final long[] numbers;
    private final @Nullable CommFacts[] comms;
    private final @Nullable SyncFacts[] syncs;
    private final int threadCount;

    private DeviceTrace(Builder from, int[] order) {
        int n = order.length;
        source = from.source;
        hasSteps = from.hasSteps;
        threadCount = from.threads.size();
        kinds = new EventKind[n];
        names = new String[n];
        start = new double[n];
        duration = new double[n];
        threads = new int[n];
        numbers = new long[n * FIELDS];
        comms = new CommFacts[n];
        syncs = new SyncFacts[n];
        for (int i = 0; i < n; i++) {
            int at = order[i];
            kinds[i] = from.kinds[at];
            names[i] = from.names[at];
            start[i] = from.start[at];
            duration[i] = from.duration[at];
            threads[i] = from.thread[at];
            System.arraycopy(from.numbers, at * FIELDS, numbers, i * FIELDS, FIELDS);
            comms[i] = from.comms[at];
            syncs[i] = from.syncs[at];
        }
    }

    private static final int EXTERNAL = 0;
    private static final int RECORD = 1;
    private static final int CORRELATION = 2;
    private static final int STREAM = 3;
    private static final int DEVICE = 4;
    private static final int FIELDS = 5;

    public int size() {
        return kinds.length;
    }

    /** File as named by the user. */
    String source() {
        return source;
    }

    /** True if the trace contains profiler step markers. */
    boolean hasSteps() {
        return hasSteps;
    }

    EventKind kind(int event) {
        return kinds[event];
    }

    String name(int event) {
        return names[event];
    }

    /** Start in microseconds. */
    double start(int event) {
        return start[event];
    }

    /** Duration in microseconds. */
    double duration(int event) {
        return duration[event];
    }

    double end(int event) {
        return start[event] + duration[event];
    }

    /** Thread number, from 0 in order of first appearance. */
    int thread(int event) {
        return threads[event];
    }

    int threadCount() {
        return threadCount;
    }

    /** Correlation id shared by a call and its launched operators; -1 if none. */
    long external(int event) {
        return numbers[event * FIELDS + EXTERNAL];
    }

    /** Id shared with the host trace, or {@link #NONE}. */
    long record(int event) {
        return numbers[event * FIELDS + RECORD];
    }

    /** Correlation id shared by a runtime call and a device operator; -1 if none. */
    long correlation(int event) {
        return numbers[event * FIELDS + CORRELATION];
    }

    /** Stream, or {@link #NONE}. */
    long stream(int event) {
        return numbers[event * FIELDS + STREAM];
    }

    /** Device number; 0 if the event has none. */
    long device(int event) {
        long device = numbers[event * FIELDS + DEVICE];
        return device == NONE ? 0 : device;
    }

    @Nullable
    CommFacts comm(int event) {
        return comms[event];
    }

    @Nullable
    SyncFacts sync(int event) {
        return syncs[event];
    }

    /** True if the host trace may contain the event: an operator or annotation, but not a profiler step. */
    boolean isHostOp(int event) {
        EventKind kind = kinds[event];
        return (kind == EventKind.CPU_OP || kind == EventKind.ANNOTATION) && !names[event].contains("ProfilerStep");
    }

    /** Position of the last event with each external id. */
    LongIndex lastByExternal() {
        LongIndex index = new LongIndex(size());
        for (int i = 0; i < size(); i++) {
            index.put(external(i), i);
        }
        return index;
    }

    /** Collects events in file order. */
    public static final class Builder {
        private final String source;
        private final Map<String, Integer> threads = new LinkedHashMap<>();
        private boolean hasSteps;
        private int size;
        private EventKind[] kinds = new EventKind[1024];
        private String[] names = new String[1024];
        private double[] start = new double[1024];
        private double[] duration = new double[1024];
        private int[] thread = new int[1024];
        private long[] numbers = new long[1024 * FIELDS];
        private @Nullable CommFacts[] comms = new CommFacts[1024];
        private @Nullable SyncFacts[] syncs = new SyncFacts[1024];

        public Builder(String source) {
            this.source = source;
        }

        /**
         * Adds an event that starts at {@code from} and lasts {@code lasts} microseconds; the following calls add its
         * optional fields.
         */
        public Builder event(EventKind kind, String name, String threadName, double from, double lasts) {
            if (size == kinds.length) {
                grow();
            }
            kinds[size] = kind;
            names[size] = name;
            start[size] = from;
            duration[size] = lasts;
            thread[size] = threads.computeIfAbsent(threadName, key -> threads.size());
            Arrays.fill(numbers, size * FIELDS, (size + 1) * FIELDS, NONE);
            numbers[size * FIELDS + EXTERNAL] = -1;
            numbers[size * FIELDS + CORRELATION] = -1;
            hasSteps |= name.contains("ProfilerStep");
            size++;
            return this;
        }

        private void grow() {
            int more = size * 2;
            kinds = Arrays.copyOf(kinds, more);
            names = Arrays.copyOf(names, more);
            start = Arrays.copyOf(start, more);
            duration = Arrays.copyOf(duration, more);
            thread = Arrays.copyOf(thread, more);
            numbers = Arrays.copyOf(numbers, more * FIELDS);
            comms = Arrays.copyOf(comms, more);
            syncs = Arrays.copyOf(syncs, more);
        }

        public Builder external(long value) {
            return number(EXTERNAL, value);
        }

        public Builder record(long value) {
            return number(RECORD, value);
        }

        public Builder correlation(long value) {
            return number(CORRELATION, value);
        }

        public Builder stream(long value) {
            return number(STREAM, value);
        }

        public Builder device(long value) {
            return number(DEVICE, value);
        }

        public Builder comm(CommFacts facts) {
            comms[size - 1] = facts;
            return this;
        }

        public Builder sync(SyncFacts facts) {
            syncs[size - 1] = facts;
            return this;
        }

        private Builder number(int field, long value) {
            numbers[(size - 1) * FIELDS + field] = value;
            return this;
        }

        /** Returns the events sorted by start time. */
        public DeviceTrace build() {
            return new DeviceTrace(this, StableOrder.byValue(start, size));
        }
    }

    /** Returns the positions of the events that pass the test, in order of start. */
    int[] select(EventTest test) {
        int[] found = new int[size()];
        int count = 0;
        for (int i = 0; i < size(); i++) {
            if (test.test(i)) {
                found[count++] = i;
            }
        }
        return Arrays.copyOf(found, count);
    }

    /** A condition on an event. */
    @FunctionalInterface
    interface EventTest {
        boolean test(int event);
    }

    /** Returns the positions of the host operators of every thread, in order of start. */
    List<int[]> hostOpsByThread() {
        int[] counts = new int[threadCount];
        int[] all = select(this::isHostOp);
        for (int event : all) {
            counts[threads[event]]++;
        }
        List<int[]> lists = new ArrayList<>();
        for (int count : counts) {
            lists.add(new int[count]);
        }
        Arrays.fill(counts, 0);
        for (int event : all) {
            int at = threads[event];
            lists.get(at)[counts[at]++] = event;
        }
        return lists;
    }
}
