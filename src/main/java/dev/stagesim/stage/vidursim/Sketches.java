package dev.stagesim.stage.vidursim;

import dev.stagesim.contract.SimulationTables;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.sim.serving.Batch;
import dev.stagesim.sim.serving.BatchWindow;
import dev.stagesim.sim.serving.LatencySketch;
import dev.stagesim.sim.serving.RequestStates;
import dev.stagesim.sim.serving.ServingRecorder;
import java.io.IOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** Distributions of token and batch times, kept in sketches and written as quantiles when the run is done. */
final class Sketches implements ServingRecorder {
    private static final int STEPS = 100;

    private final BatchWindow window;
    private final LatencySketch tokens = new LatencySketch();
    private final LatencySketch batches = new LatencySketch();

    Sketches(BatchWindow window) {
        this.window = window;
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.LATENCIES, Signal.BATCHES);
    }

    @Override
    public void decodeLatencies(double seconds, int count, double time) {
        if (window.open()) {
            tokens.add(seconds, count);
        }
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        if (window.open()) {
            batches.add(time - batch.scheduledAt());
        }
    }

    void write(Path folder) throws IOException {
        write(folder, SimulationTables.TOKEN_TIME_CDF, tokens);
        write(folder, SimulationTables.BATCH_TIME_CDF, batches);
    }

    /** A file without rows when nothing was counted. */
    private static void write(Path folder, TableSchema schema, LatencySketch sketch) throws IOException {
        try (TableWriter out = TableWriter.create(folder.resolve(schema.name()), schema)) {
            for (int i = 0; i <= STEPS && sketch.count() > 0; i++) {
                out.put(i * 0.01).put(sketch.quantile(i * 0.01));
                out.endRow();
            }
        }
    }
}
