package dev.stagesim.stage.vidursim;

import dev.stagesim.sim.serving.Batch;
import dev.stagesim.sim.serving.RequestStates;
import dev.stagesim.sim.serving.ServingRecorder;
import dev.stagesim.sim.serving.ServingSpec;
import java.io.BufferedWriter;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.Map;
import java.util.Objects;
import java.util.Set;

/**
 * Writes {@code trace.json} in the Trace Event format that the Perfetto UI and Chrome open: each pipeline stage's
 * batches, memory in use, batch size and queue per replica, and each request's waiting, prompt and output phases.
 *
 * <p>A batch's slice goes from one event of the simulation to another, each rounded alone, so that slices of a stage never
 * overlap, which viewers do not accept. A counter is written when it changes.
 */
final class TraceWriter implements ServingRecorder, Closeable {
    /** Requests share this process; replica r is process r + 1. */
    private static final int REQUESTS = 0;

    private final BufferedWriter out;
    private final int limit;
    private final StringBuilder line = new StringBuilder(256);
    private final double[][] started;
    private final Map<Counter, long[]> counters = new EnumMap<>(Counter.class);
    private int events;
    private boolean first = true;
    private boolean cut;

    /** A figure of a replica over time. */
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

    TraceWriter(Path folder, ServingSpec spec, int limit) throws IOException {
        this.limit = limit;
        this.started = new double[spec.cluster().replicas()][spec.cluster().pipelineStages()];
        for (Counter counter : Counter.values()) {
            long[] none = new long[spec.cluster().replicas()];
            Arrays.fill(none, -1);
            counters.put(counter, none);
        }
        this.out = Files.newBufferedWriter(folder.resolve("trace.json"));
        out.write("{\"displayTimeUnit\":\"ms\",\"traceEvents\":[");
        name("process_name", REQUESTS, 0, "requests");
        for (int replica = 0; replica < spec.cluster().replicas(); replica++) {
            name("process_name", replica + 1, 0, "replica " + replica);
            for (int stage = 0; stage < spec.cluster().pipelineStages(); stage++) {
                name("thread_name", replica + 1, stage, "stage " + stage);
            }
        }
    }

    /** True when events were left out because the limit was reached. */
    boolean cut() {
        return cut;
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCHES, Signal.MEMORY);
    }

    @Override
    public void stageStarted(Batch batch, int stage, double time, double mfuPercent) {
        started[batch.replica()][stage] = time;
    }

    @Override
    public void stageEnded(Batch batch, int stage, double time, double totalSeconds, double modelSeconds) {
        if (!begin()) {
            return;
        }
        long start = Nanos.of(started[batch.replica()][stage]);
        line.append("\"ph\":\"X\",\"name\":\"batch ").append(batch.id()).append("\",\"pid\":");
        line.append(batch.replica() + 1).append(",\"tid\":").append(stage);
        micros(",\"ts\":", start);
        micros(",\"dur\":", Nanos.of(time) - start);
        line.append(",\"args\":{\"requests\":").append(batch.size());
        line.append(",\"tokens\":").append(batch.totalTokens());
        line.append(",\"prefill_tokens\":").append(batch.prefillTokens()).append('}');
        end();
    }

    @Override
    public void batchScheduled(Batch batch, double time) {
        counter(Counter.BATCH_SIZE, batch.replica(), time, batch.size());
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
        long[] last = Objects.requireNonNull(counters.get(counter));
        if (last[replica] == value || !begin()) {
            return;
        }
        last[replica] = value;
        line.append("\"ph\":\"C\",\"name\":\"")
                .append(counter.title)
                .append("\",\"pid\":")
                .append(replica + 1);
        micros(",\"ts\":", Nanos.of(time));
        line.append(",\"args\":{\"")
                .append(counter.series)
                .append("\":")
                .append(value)
                .append('}');
        end();
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
        if (Nanos.of(to) <= Nanos.of(from)) {
            return;
        }
        if (events + 2 > limit) {
            cut = true; // a phase that begins must end
        } else {
            async('b', request, name, from);
            async('e', request, name, to);
        }
    }

    private void async(char phase, int request, String name, double time) {
        if (!begin()) {
            return;
        }
        line.append("\"ph\":\"")
                .append(phase)
                .append("\",\"cat\":\"request\",\"id\":")
                .append(request);
        line.append(",\"name\":\"").append(name).append("\",\"pid\":").append(REQUESTS);
        line.append(",\"tid\":").append(request);
        micros(",\"ts\":", Nanos.of(time));
        end();
    }

    private void name(String kind, int process, int thread, String text) throws IOException {
        line.setLength(0);
        line.append(first ? "\n{" : ",\n{");
        first = false;
        line.append("\"ph\":\"M\",\"name\":\"")
                .append(kind)
                .append("\",\"pid\":")
                .append(process);
        line.append(",\"tid\":")
                .append(thread)
                .append(",\"args\":{\"name\":\"")
                .append(text)
                .append("\"}}");
        out.append(line);
    }

    private boolean begin() {
        if (events >= limit) {
            cut = true;
            return false;
        }
        events++;
        line.setLength(0);
        line.append(",\n{");
        return true;
    }

    private void end() {
        line.append('}');
        try {
            out.append(line);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Microseconds with the nanoseconds as decimals. */
    private void micros(String key, long ns) {
        line.append(key).append(ns / 1000).append('.');
        long rest = ns % 1000;
        line.append((char) ('0' + rest / 100))
                .append((char) ('0' + rest / 10 % 10))
                .append((char) ('0' + rest % 10));
    }

    @Override
    public void close() throws IOException {
        try (out) {
            out.write("\n]}\n");
        }
    }
}
