package dev.stagesim.verify.vidur;

import dev.stagesim.sim.serving.Batch;
import java.util.StringJoiner;

/** The batches of a case: their metrics in order of end, and what they held in order of formation. */
final class BatchTables {
    final ActualTable metrics = new ActualTable();
    final ActualTable composition = new ActualTable();
    private final ActualTable.Numbers[] metric = CaseRecorder.numbers(
            metrics,
            "Batch Id",
            "batch_num_tokens",
            "batch_num_prefill_tokens",
            "batch_num_decode_tokens",
            "batch_size",
            "batch_execution_time");
    private final ActualTable.Numbers batchId = composition.numbers("batch_id");
    private final ActualTable.Numbers replicaId = composition.numbers("replica_id");
    private final ActualTable.Texts requestIds = composition.texts("request_ids");
    private final ActualTable.Texts numTokens = composition.texts("num_tokens");

    void scheduled(Batch batch) {
        StringJoiner requests = new StringJoiner(" ");
        StringJoiner tokens = new StringJoiner(" ");
        for (int i = 0; i < batch.size(); i++) {
            requests.add(Integer.toString(batch.request(i)));
            tokens.add(Integer.toString(batch.tokens(i)));
        }
        batchId.add(batch.id());
        replicaId.add(batch.replica());
        requestIds.add(requests.toString());
        numTokens.add(tokens.toString());
        composition.endRow();
    }

    void ended(Batch batch, double time) {
        double[] row = {
            (double) batch.id(),
            batch.totalTokens(),
            batch.prefillTokens(),
            batch.totalTokens() - batch.prefillTokens(),
            batch.size(),
            time - batch.scheduledAt()
        };
        for (int i = 0; i < row.length; i++) {
            metric[i].add(row[i]);
        }
        metrics.endRow();
    }
}
