package dev.stagesim.stage.vidursim;

import dev.stagesim.io.background.Unchecked;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.serving.tables.SimulationTables;
import dev.stagesim.sim.serving.metrics.BatchWindow;
import dev.stagesim.sim.serving.replica.RequestStates;
import dev.stagesim.sim.serving.replica.ServingRecorder;
import dev.stagesim.sim.serving.request.RequestTrace;
import java.io.Closeable;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Optional;
import java.util.Set;

/** Writes {@code completion_series.csv} during the simulation; with sampling, every k-th point of a series. */
final class SeriesWriter implements ServingRecorder, Closeable {
    private final TableWriter out;
    private final BatchWindow window;
    private final Counter arrivals;
    private final Counter completions;
    private final Counter prefills;
    private final Counter decodes;

    /** A series: its current value and the selection of its points. */
    private static final class Counter {
        private final String name;
        private final long stride;
        private long points;
        private long total;

        Counter(String name, long expected, Optional<Integer> wanted) {
            this.name = name;
            this.stride = wanted.isPresent() ? Math.max(1, expected / wanted.get()) : 1;
        }
    }

    SeriesWriter(Path folder, RequestTrace trace, BatchWindow window, Optional<Integer> points) throws IOException {
        this.window = window;
        long outputs = 0;
        for (int request = 0; request < trace.size(); request++) {
            outputs += trace.decodeTokens(request) - 1;
        }
        arrivals = new Counter("request_arrival", trace.size(), points);
        completions = new Counter("request_completion", trace.size(), points);
        prefills = new Counter("prefill_completion", trace.size(), points);
        decodes = new Counter("decode_completion", outputs, points);
        out = TableWriter.in(folder, SimulationTables.COMPLETIONS);
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.TOKENS);
    }

    @Override
    public void requestArrived(int request, double time) {
        add(arrivals, 1, time);
    }

    @Override
    public void requestCompleted(int request, double time, RequestStates states) {
        if (window.open()) {
            add(completions, 1, time);
        }
    }

    @Override
    public void prefillCompleted(int tokens, double time) {
        if (window.open()) {
            add(prefills, tokens, time);
        }
    }

    @Override
    public void decodeLatency(double seconds, double time) {
        if (window.open()) {
            add(decodes, 1, time);
        }
    }

    private void add(Counter counter, long amount, double time) {
        counter.total += amount;
        if (counter.points++ % counter.stride == 0) {
            Unchecked.run(
                    () -> out.put(counter.name).put(time).put(counter.total).endRow());
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
