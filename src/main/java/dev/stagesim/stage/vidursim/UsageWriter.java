package dev.stagesim.stage.vidursim;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.SimulationTables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.sim.serving.ServingSpec;
import dev.stagesim.sim.serving.Usage;
import dev.stagesim.sim.serving.Utilization;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes {@code utilization.csv}; with the reference's names when its quirks are on. */
final class UsageWriter {
    private UsageWriter() {}

    static void write(Path folder, ServingSpec spec, Utilization utilization) throws IOException {
        List<String> columns = SimulationTables.UTILIZATION.columns().stream()
                .map(Column::name)
                .filter(name -> spec.quirks() || !name.equals("reference_name"))
                .toList();
        Path file = folder.resolve(SimulationTables.UTILIZATION.name());
        try (TableWriter out = TableWriter.create(file, SimulationTables.UTILIZATION, columns)) {
            for (Usage usage : Usage.of(spec, utilization)) {
                row(out, usage, spec.quirks());
            }
        }
    }

    private static void row(TableWriter out, Usage usage, boolean quirks) throws IOException {
        out.put((long) usage.replica());
        if (usage.stage() < 0) {
            out.putEmpty();
        } else {
            out.put((long) usage.stage());
        }
        out.put(usage.quantity()).put(usage.least()).put(usage.greatest());
        if (Double.isNaN(usage.mean())) {
            out.putEmpty();
        } else {
            out.put(usage.mean());
        }
        if (quirks) {
            out.put(usage.referenceName());
        }
        out.endRow();
    }
}
