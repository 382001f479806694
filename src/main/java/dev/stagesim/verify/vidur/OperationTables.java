package dev.stagesim.verify.vidur;

import dev.stagesim.model.BatchOperators;
import dev.stagesim.predict.OperatorTimes;
import dev.stagesim.sim.serving.Batch;
import dev.stagesim.sim.serving.BatchOperations;
import dev.stagesim.sim.serving.ServingSpec;
import java.util.ArrayList;
import java.util.List;

/** Operator times of a case's batches in the reference's columns. */
final class OperationTables {
    final ActualTable model = new ActualTable();
    final ActualTable cpu = new ActualTable();
    private final boolean wanted;
    private final BatchOperations operations;
    private final List<ActualTable.Numbers> modelColumns = new ArrayList<>();
    private final List<ActualTable.Numbers> cpuColumns = new ArrayList<>();

    OperationTables(ServingSpec spec, OperatorTimes times, boolean wanted) {
        this.operations = new BatchOperations(spec, times);
        this.wanted = wanted;
        modelColumns.add(model.numbers("Batch Id"));
        BatchOperators.MODEL.forEach(name -> modelColumns.add(model.numbers(name)));
        cpuColumns.add(cpu.numbers("Batch Id"));
        BatchOperators.HOST.forEach(name -> cpuColumns.add(cpu.numbers(name)));
    }

    void ended(Batch batch) {
        if (wanted) {
            fill(modelColumns, batch, operations.model(batch));
            model.endRow();
            fill(cpuColumns, batch, operations.host(batch));
            cpu.endRow();
        }
    }

    private static void fill(List<ActualTable.Numbers> columns, Batch batch, double[] row) {
        columns.get(0).add(batch.id());
        for (int i = 0; i < row.length; i++) {
            columns.get(i + 1).add(row[i]);
        }
    }
}
