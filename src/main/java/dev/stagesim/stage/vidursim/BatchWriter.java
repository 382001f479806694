package dev.stagesim.stage.vidursim;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.sim.serving.Batch;
import dev.stagesim.sim.serving.BatchWindow;
import dev.stagesim.sim.serving.RequestStates;
import dev.stagesim.sim.serving.ServingRecorder;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** Writes {@code batch_metrics.csv} while the simulation runs. */
final class BatchWriter implements ServingRecorder, Closeable {
    private final TableWriter out;
    private final BatchWindow window;

    BatchWriter(Path folder, BatchWindow window) throws IOException {
        this.window = window;
        out = TableWriter.create(folder.resolve(Tables.BATCH_METRICS.name()), Tables.BATCH_METRICS);
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCHES);
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        if (!window.holds(batch.id())) {
            return;
        }
        long scheduled = Nanos.of(batch.scheduledAt());
        long completed = Nanos.of(time);
        try {
            out.put(batch.id())
                    .put((long) batch.replica())
                    .put(scheduled)
                    .put(completed)
                    .put(completed - scheduled)
                    .put((long) batch.size())
                    .put((long) batch.totalTokens())
                    .put((long) batch.prefillTokens())
                    .put((long) batch.totalTokens() - batch.prefillTokens());
            out.endRow();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Override
    public void close() throws IOException {
        out.close();
    }
}
