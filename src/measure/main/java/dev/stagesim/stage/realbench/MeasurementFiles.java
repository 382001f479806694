package dev.stagesim.stage.realbench;

import dev.stagesim.bench.MeasuredTables;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.measured.Operations;
import dev.stagesim.io.measured.Requests;
import dev.stagesim.io.measured.Requests.Request;
import dev.stagesim.serving.tables.RequestTables;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Writes the tables of a measurement: requests, tokens if measured, and the trace for a replay. */
final class MeasurementFiles {
    private static final List<String> OPTIONAL = List.of("e2e_time_ns", "e2e_time_normalized_ns", "tpot_ns");
    private final Path out;
    private final List<Request> requests;

    MeasurementFiles(Path out, Requests requests) {
        this.out = out;
        this.requests = requests.all();
    }

    void write(boolean tokens, boolean unknownChunks) throws IOException {
        requestMetrics();
        trace();
        if (tokens) {
            tokenMetrics(unknownChunks);
        }
    }

    /** Writes the tables of a profile that have rows. */
    void write(Operations operations) throws IOException {
        if (!operations.rows().isEmpty()) {
            TableWriter.write(out, MeasuredTables.OPERATOR_METRICS, operations.rows(), (rows, op) -> {
                rows.put(op.device()).put(op.category()).put(op.name()).put(op.count());
                rows.put(op.totalNs()).put(op.minNs()).put(op.maxNs());
            });
        }
        if (!operations.collectives().isEmpty()) {
            TableWriter.write(out, MeasuredTables.COLLECTIVE_METRICS, operations.collectives(), (rows, c) -> {
                rows.put(c.collective()).put((long) c.ranks()).put(c.bytes()).put(c.inPlace());
                rows.put(c.timeNs()).put(c.algorithmGbs()).put(c.busGbs());
                rows.putUnlessNegative(c.wrong());
            });
        }
        if (!operations.steps().isEmpty()) {
            TableWriter.write(out, MeasuredTables.ENGINE_STEPS, operations.steps(), (rows, step) -> {
                rows.put(step.engine()).put(step.iteration());
                rows.put(step.prefillRequests()).put(step.prefillTokens());
                rows.put(step.decodeRequests()).put(step.decodeTokens());
                rows.putUnlessNegative(step.cachedTokens()).put(step.timeNs());
            });
        }
    }

    private void requestMetrics() throws IOException {
        Path file = out.resolve(Tables.REQUEST_METRICS.name());
        try (TableWriter rows = TableWriter.create(file, Tables.REQUEST_METRICS, OPTIONAL)) {
            for (int id = 0; id < requests.size(); id++) {
                Request r = requests.get(id);
                rows.put((long) id).put(r.arrival());
                rows.putUnlessNegative(r.first());
                rows.putUnlessNegative(r.first() < 0 ? Requests.NONE : r.first() - r.arrival());
                rows.putUnlessNegative(r.completion());
                rows.put(r.prefill())
                        .put(r.requested())
                        .put(r.actual())
                        .put(r.status().text());
                Requests.writeLatencies(rows, r.completed(), r.arrival(), r.first(), r.completion(), r.actual());
                rows.endRow();
            }
        }
    }

    private void trace() throws IOException {
        int n = requests.size();
        RequestTables.lengths(
                out,
                n,
                i -> requests.get(i).promptId(),
                i -> Math.max(1, requests.get(i).prefill()),
                i -> requests.get(i).requested());
        RequestTables.intervals(out, n, i -> requests.get(i).arrival());
    }

    private void tokenMetrics(boolean unknownChunks) throws IOException {
        Path file = out.resolve(Tables.TOKEN_METRICS.name());
        List<String> columns = unknownChunks ? List.of("tokens_in_chunk") : List.of();
        try (TableWriter rows = TableWriter.create(file, Tables.TOKEN_METRICS, columns)) {
            for (int id = 0; id < requests.size(); id++) {
                Request r = requests.get(id);
                long before = r.arrival();
                for (int k = 0; k < r.chunks().length; k++) {
                    rows.put((long) id).put((long) k).put(r.chunks()[k]).put(r.chunks()[k] - before);
                    before = r.chunks()[k];
                    if (unknownChunks && r.wholeTokens()) {
                        rows.put(1L);
                    } else if (unknownChunks) {
                        rows.putEmpty();
                    }
                    rows.endRow();
                }
            }
        }
    }
}
