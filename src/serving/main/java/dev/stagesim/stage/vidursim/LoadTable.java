package dev.stagesim.stage.vidursim;

import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.serving.tables.SimulationTables;
import java.io.IOException;
import java.nio.file.Path;

/** Writes {@code load_series.csv}, the time series of the report. */
final class LoadTable {
    private LoadTable() {}

    static void write(Path folder, ReportSeries timeline) throws IOException {
        timeline.align();
        TimeBins queue = timeline.queue;
        try (TableWriter out = TableWriter.in(folder, SimulationTables.LOAD)) {
            for (int bin = 0; bin < queue.size(); bin++) {
                out.put(queue.from(bin)).put(queue.from(bin + 1));
                mean(out, timeline.batchSize, bin);
                mean(out, timeline.memory, bin);
                greatest(out, timeline.memory, bin);
                mean(out, queue, bin);
                greatest(out, queue, bin);
                out.put((long) timeline.restarts.sum(bin))
                        .put((long) timeline.promptTokens.sum(bin))
                        .put((long) timeline.cachedTokens.sum(bin));
                out.endRow();
            }
        }
    }

    private static void mean(TableWriter out, TimeBins bins, int bin) throws IOException {
        out.putIf(bins.hasSamples(bin), bins.mean(bin));
    }

    private static void greatest(TableWriter out, TimeBins bins, int bin) throws IOException {
        out.putIf(bins.hasSamples(bin), bins.greatest(bin));
    }
}
