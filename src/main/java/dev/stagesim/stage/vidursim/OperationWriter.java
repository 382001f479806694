package dev.stagesim.stage.vidursim;

import dev.stagesim.contract.SimulationTables;
import dev.stagesim.contract.TableSchema;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.Batch;
import dev.stagesim.sim.serving.BatchOperations;
import dev.stagesim.sim.serving.RequestStates;
import dev.stagesim.sim.serving.ServingRecorder;
import dev.stagesim.sim.serving.ServingSpec;
import java.io.Closeable;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Path;
import java.util.EnumSet;
import java.util.Set;

/** Writes what each operator contributed to every batch; of all batches, as the reference does. */
final class OperationWriter implements ServingRecorder, Closeable {
    private final BatchOperations operations;
    private final TableWriter model;
    private final TableWriter host;

    OperationWriter(Path folder, ServingSpec spec, OperatorTimes times) throws IOException {
        operations = new BatchOperations(spec, times);
        model = create(folder, SimulationTables.OPERATIONS);
        host = create(folder, SimulationTables.HOST_OPERATIONS);
    }

    private static TableWriter create(Path folder, TableSchema schema) throws IOException {
        return TableWriter.create(folder.resolve(schema.name()), schema);
    }

    @Override
    public Set<Signal> signals() {
        return EnumSet.of(Signal.BATCHES);
    }

    @Override
    public void batchEnded(Batch batch, double time, RequestStates states) {
        try {
            row(model, batch.id(), operations.model(batch));
            row(host, batch.id(), operations.host(batch));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void row(TableWriter out, long batch, double[] values) throws IOException {
        out.put(batch);
        for (double value : values) {
            if (Double.isNaN(value)) {
                out.putEmpty();
            } else {
                out.put(value);
            }
        }
        out.endRow();
    }

    @Override
    public void close() throws IOException {
        try (model) {
            host.close();
        }
    }
}
