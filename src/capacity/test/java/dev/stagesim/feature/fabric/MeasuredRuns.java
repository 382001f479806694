package dev.stagesim.feature.fabric;

import dev.stagesim.contract.Column;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.astra.AstraTables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.fabric.CatalogDocument;
import dev.stagesim.io.fabric.CatalogEntry;
import dev.stagesim.io.fabric.EntryReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Writes small finished runs for tests. */
final class MeasuredRuns {
    private static final long MS = 1_000_000;
    private static final List<String> COLUMNS = List.of(
            "request_id",
            "arrival_time_ns",
            "first_token_time_ns",
            "ttft_ns",
            "completion_time_ns",
            "num_prefill_tokens",
            "num_decode_tokens",
            "num_decode_tokens_actual",
            "status");

    private MeasuredRuns() {}

    static JsonValue.Obj tree() {
        return (JsonValue.Obj) Json.parse(
                        """
                        {"name":"small","framework":"f","model_family":"llama","params":{"hidden_size":4096,"n_layers":32,
                        "vocab_size":128256},"parallelism":{"tp":1,"pp":1,"dp":1},"sequence":{"prompt":64,"generate":16},
                        "precision":{"weights":"bf16","activations":"bf16"},"dataloader":"replay","duration_minutes":60,
                        "track":"parity","schedule":{"phases":[{"arrival":{"requests_per_sec":30,"arrival_cv":1}}]}}
                        """,
                        "small")
                .value();
    }

    static CatalogEntry entry() {
        return EntryReader.read(tree(), "small");
    }

    static Path workload(Path dir) throws IOException {
        Files.createDirectories(dir);
        Json.writeDocument(dir, new CatalogDocument(tree(), List.of()));
        return dir;
    }

    /**
     * Writes a run of 20 requests at intervals of {@code gapMs}, with a TTFT of 10 ms and 16 tokens at intervals of 5
     * ms.
     */
    static Path write(Path dir, String hardware, int tp, long gapMs) throws IOException {
        Files.createDirectories(dir);
        Json.write(
                dir.resolve("run_meta.json"),
                JsonValue.object()
                        .put("run_id", "run-" + tp)
                        .put("model", "m")
                        .put("hardware", hardware)
                        .put(
                                "params",
                                JsonValue.object()
                                        .put(
                                                "cluster",
                                                JsonValue.object()
                                                        .put("tensor_parallel_size", tp)
                                                        .build())
                                        .build())
                        .build());
        Path file = dir.resolve(Tables.REQUEST_METRICS.name());
        try (TableWriter table = TableWriter.create(file, Tables.REQUEST_METRICS, COLUMNS)) {
            for (long i = 0; i < 20; i++) {
                long arrival = i * gapMs * MS;
                table.put(i).put(arrival).put(arrival + 10 * MS).put(10 * MS).put(arrival + 85 * MS);
                table.put(64L).put(16L).put(16L).put("completed").endRow();
            }
        }
        return dir;
    }

    /** Writes a simulated step with equal times on all devices. */
    static Path step(Path dir, int npus, double ms) throws IOException {
        Files.createDirectories(dir);
        List<String> columns =
                AstraTables.NPUS.columns().stream().map(Column::name).toList();
        try (TableWriter table = TableWriter.create(dir.resolve(AstraTables.NPUS.name()), AstraTables.NPUS)) {
            for (long npu = 0; npu < npus; npu++) {
                table.put(npu).put(Math.round(ms * MS)).put(0L);
                for (int i = 3; i < columns.size() - 1; i++) {
                    if (columns.get(i).endsWith("_ns")) {
                        table.put(0L);
                    } else {
                        table.put(0.5);
                    }
                }
                table.putEmpty().endRow();
            }
        }
        return dir;
    }
}
