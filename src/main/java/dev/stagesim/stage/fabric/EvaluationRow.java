package dev.stagesim.stage.fabric;

import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.JsonAt;
import java.io.IOException;
import java.util.List;
import java.util.Locale;

/** A row of the table of evaluations: what was asked, and the answer. */
final class EvaluationRow {
    private static final double NS_PER_MS = 1e6;
    private static final List<String> SERVICE = List.of("p50_ttft_ms", "p99_ttft_ms", "p50_tpot_ms", "p99_tpot_ms");

    private EvaluationRow() {}

    static void write(TableWriter table, String id, JsonAt question, JsonAt answer) throws IOException {
        boolean step = question.get("kind").asString().equals("step");
        JsonAt spec = question.get("spec");
        table.put(id).put(question.get("kind").asString());
        table.put(
                step
                        ? question.get("device").asString()
                        : spec.get("device").get("name").asString());
        table.put(spec.get("tp").asLong()).put(spec.get("pp").asLong());
        if (step) {
            table.put(spec.get("dp").asLong());
            long sequences =
                    spec.get("microBatches").asLong() * spec.get("sequences").asLong();
            table.put("microbatch " + sequences);
            table.put(spec.get("tokens").asLong()).put(0L).putEmpty().putEmpty();
            for (int i = 0; i < SERVICE.size(); i++) {
                table.putEmpty();
            }
            table.put(answer.get("step_ns").asLong() / NS_PER_MS).endRow();
            return;
        }
        table.put(1L).put(policy(spec.get("scheduler")));
        table.put(question.get("prompt").asLong()).put(question.get("generate").asLong());
        if (question.has("rate")) {
            table.put(question.get("rate").asDouble());
        } else {
            table.putEmpty();
        }
        table.put(answer.get("requests_per_second").asDouble());
        for (String name : SERVICE) {
            table.put(answer.get(name).asDouble());
        }
        table.putEmpty().endRow();
    }

    private static String policy(JsonAt scheduler) {
        return scheduler.get("type").asString().toLowerCase(Locale.ROOT) + ", batch "
                + scheduler.get("limits").get("batchSizeCap").asInt()
                + scheduler
                        .find("chunkSize")
                        .map(chunk -> ", chunk " + chunk.asInt())
                        .orElse("");
    }
}
