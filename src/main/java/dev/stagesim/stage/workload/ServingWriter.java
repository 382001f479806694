package dev.stagesim.stage.workload;

import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.trace.TraceRows;
import dev.stagesim.sim.workload.RequestTable;
import dev.stagesim.stage.StageContext;
import java.io.BufferedWriter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;

/** Writes a serving workload's artifacts: prompts, lengths, intervals, summary. */
final class ServingWriter {
    private final StageContext context;

    ServingWriter(StageContext context) {
        this.context = context;
    }

    void write(Serving made) throws IOException {
        made.remarks().forEach(context::warn);
        Path out = context.out();
        lengths(out, made);
        intervals(out, made.requests());
        prompts(out, made);
        ServingFigures figures = ServingFigures.of(made.requests());
        figures.headlines().forEach(context::headline);
        Files.writeString(out.resolve("summary.md"), figures.summary(made), StandardCharsets.UTF_8);
    }

    private static void lengths(Path out, Serving made) throws IOException {
        RequestTable requests = made.requests();
        try (TableWriter table = TableWriter.create(out.resolve(Tables.TRACE_LENGTHS.name()), Tables.TRACE_LENGTHS)) {
            for (int i = 0; i < requests.size(); i++) {
                table.put((long) i)
                        .put(made.promptId(i))
                        .put((long) requests.prefill(i))
                        .put((long) requests.decode(i));
                table.endRow();
            }
        }
    }

    private static void intervals(Path out, RequestTable requests) throws IOException {
        try (TableWriter table =
                TableWriter.create(out.resolve(Tables.TRACE_INTERVALS.name()), Tables.TRACE_INTERVALS)) {
            long last = 0;
            for (int i = 0; i < requests.size(); i++) {
                long arrival = requests.arrivalNs(i);
                table.put((long) i).put(arrival - last).put(arrival).endRow();
                last = arrival;
            }
        }
    }

    /** One JSON object a line, keys sorted; the text only where there is one. */
    private static void prompts(Path out, Serving made) throws IOException {
        RequestTable requests = made.requests();
        Optional<TraceRows> texts = made.texts();
        try (BufferedWriter lines = Files.newBufferedWriter(out.resolve("prompts.jsonl"))) {
            for (int i = 0; i < requests.size(); i++) {
                lines.write("{\"num_prefill_tokens\":" + requests.prefill(i));
                if (texts.isPresent() && requests.row(i) >= 0) {
                    lines.write(",\"prompt\":" + quoted(texts.get().text(requests.row(i))));
                }
                lines.write(",\"prompt_id\":" + quoted(made.promptId(i)) + ",\"request_id\":" + i + "}\n");
            }
        }
    }

    private static String quoted(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~' || c == '"' || c == '\\') {
                return Json.compact(JsonValue.of(text));
            }
        }
        return '"' + text + '"';
    }
}
