package dev.stagesim.stage.vidursim;

import dev.stagesim.io.json.TraceEvents;
import dev.stagesim.sim.serving.replica.Batch;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.spec.ServingSpec;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Writes {@code trace.json} in the Trace Event format of Perfetto and Chrome: batches of each pipeline stage; used memory,
 * batch size and queue of each replica; and the waiting, prefill and decode phases of each request.
 *
 * <p>Begin and end of a batch are rounded separately, so that the slices of a stage never overlap, which viewers reject.
 * Counters are written when they change.
 */
final class ServingTraceWriter implements ServingRecorder, Closeable {
    /** Process of all requests; replica r is process r + 1. */
    private static final int REQUESTS = 0;

    private final BufferedWriter out;
    private final int limit;
    private final TraceEvents trace;
    private final double[][] started;
    private final Map<Counter, long[]> counters = new EnumMap<>(Counter.class);
    private int events;
    private boolean cut;

    /** A counter of a replica. */
    private enum Counter {
        KV_BLOCKS("KV blocks", "allocated"),
        BATCH_SIZE("batch size", "requests"),
        QUEUE("queue", "waiting");

        private final String title;
        private final String series;

        Counter(String title, String series) {
            this.title = title;
            this.series = series;
        }
    }

    ServingTraceWriter(Path folder, ServingSpec spec, int limit) throws IOException {
        this.limit = limit;
        this.started = new double[spec.cluster().replicas()][spec.cluster().pipelineStages()];
        for (Counter counter : Counter.values()) {
            long[] none = new long[spec.cluster().replicas()];
            Arrays.fill(none, -1);
            counters.put(counter, none);
        }
        this.out = Files.newBufferedWriter(folder.resolve("trace.json"));
        trace = new TraceEvents(out, "ms");
        trace.process(REQUESTS, "requests");
        for (int replica = 0; replica < spec.cluster().replicas(); replica++) {
            trace.process(replica + 1, "replica " + replica);
            for (int stage = 0; stage < spec.cluster().pipelineStages(); stage++) {
                trace.thread(replica + 1, stage, "stage " + stage);
            }
        }
    }

    /** Returns true if events were dropped because of the limit. */
    boolean cut() {
        return cut;
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCH_FORMED, Signal.STAGE_STARTED, Signal.STAGE_ENDED, Signal.BLOCKS, Signal.QUEUE);
    }

    @Override
    public boolean isDone() {
        return cut && events >= limit;
    }

    @Override
    public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
        started[batch.replica][stage] = time;
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {
        if (!begin()) {
            return;
        }
        long start = RoundedNanos.of(started[batch.replica][stage]);
        trace.event('X').text("name", "batch " + batch.id).number("pid", batch.replica + 1);
        trace.number("tid", stage)
                .micros("ts", start)
                .micros("dur", RoundedNanos.of(time) - start)
                .args();
        trace.number("requests", batch.size).number("tokens", batch.totalTokens);
        trace.number("prefill_tokens", batch.prefillTokens).end();
    }

    @Override
    public void batchScheduled(Batch batch, double time) {
        counter(Counter.BATCH_SIZE, batch.replica, time, batch.size);
    }

    @Override
    public void memorySample(int replica, double time, long allocated, long total) {
        counter(Counter.KV_BLOCKS, replica, time, allocated);
    }

    @Override
    public void queueSample(int replica, double time, int waiting) {
        counter(Counter.QUEUE, replica, time, waiting);
    }

    private void counter(Counter counter, int replica, double time, long value) {
        if (isDone()) {
            return;
        }
        long[] last = Objects.requireNonNull(counters.get(counter));
        if (last[replica] == value || !begin()) {
            return;
        }
        last[replica] = value;
        trace.event('C').text("name", counter.title).number("pid", replica + 1);
        trace.micros("ts", RoundedNanos.of(time))
                .args()
                .number(counter.series, value)
                .end();
    }

    @Override
    public void requestCompleted(int request, double time, RequestStates states) {
        double arrived = states.arrivedAt(request);
        double scheduled = states.scheduledAt(request);
        double firstToken = states.prefillCompletedAt(request);
        phase(request, "waiting", arrived, scheduled);
        phase(request, "prompt", scheduled, firstToken);
        phase(request, "output", firstToken, time);
    }

    private void phase(int request, String name, double from, double to) {
        if (RoundedNanos.of(to) <= RoundedNanos.of(from)) {
            return;
        }
        if (events + 2 > limit) {
            cut = true; // each begun phase must end
        } else {
            async('b', request, name, from);
            async('e', request, name, to);
        }
    }

    private void async(char phase, int request, String name, double time) {
        if (!begin()) {
            return;
        }
        trace.event(phase).text("cat", "request").number("id", request).text("name", name);
        trace.number("pid", REQUESTS)
                .number("tid", request)
                .micros("ts", RoundedNanos.of(time))
                .end();
    }

    private boolean begin() {
        if (events >= limit) {
            cut = true;
            return false;
        }
        events++;
        return true;
    }

    @Override
    public void close() throws IOException {
        try (out) {
            trace.finish();
        }
    }
}
