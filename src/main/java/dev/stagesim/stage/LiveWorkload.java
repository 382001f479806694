package dev.stagesim.stage;

import dev.stagesim.bench.PlannedRequest;
import dev.stagesim.contract.Tables;
import dev.stagesim.io.csv.TableReader;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/** The requests of a workload run as they are sent: with its prompts, or with made-up ones of about the right length. */
public final class LiveWorkload {
    private static final String PROMPTS = "prompts.jsonl";

    /** Short words that common tokenizers take for one token each, blank included. */
    private static final String[] WORDS = {
        " the", " of", " and", " to", " in", " for", " is", " on", " that", " by", " this", " with", " you", " it",
        " not", " or"
    };

    private final List<PlannedRequest> requests = new ArrayList<>();
    private final List<String> promptIds = new ArrayList<>();
    private final List<Long> prefill = new ArrayList<>();
    private final List<Long> decode = new ArrayList<>();

    private LiveWorkload() {}

    public static LiveWorkload read(RunInput run) throws IOException {
        LiveWorkload workload = new LiveWorkload();
        Map<Long, String> texts = texts(run);
        try (TableReader lengths = TableReader.open(run.file(Tables.TRACE_LENGTHS.name()), Tables.TRACE_LENGTHS);
                TableReader times = TableReader.open(run.file(Tables.TRACE_INTERVALS.name()), Tables.TRACE_INTERVALS)) {
            int id = lengths.column("request_id");
            int prompt = lengths.column("prompt_id");
            int input = lengths.column("num_prefill_tokens");
            int output = lengths.column("num_decode_tokens");
            int arrival = times.column("arrival_time_ns");
            while (lengths.next() && times.next()) {
                long number = lengths.longAt(id);
                long tokens = lengths.longAt(input);
                String text = texts.containsKey(number) ? texts.get(number) : words(number, tokens);
                workload.promptIds.add(lengths.stringAt(prompt));
                workload.prefill.add(tokens);
                workload.decode.add(lengths.longAt(output));
                workload.requests.add(new PlannedRequest(
                        number, times.longAt(arrival), text, Math.toIntExact(lengths.longAt(output))));
            }
        }
        return workload;
    }

    private static Map<Long, String> texts(RunInput run) throws IOException {
        Map<Long, String> texts = new TreeMap<>();
        if (run.has(PROMPTS)) {
            try (JsonDocuments lines = Json.stream(run.file(PROMPTS), JsonMode.STRICT)) {
                for (Optional<JsonAt> line = lines.next(); line.isPresent(); line = lines.next()) {
                    JsonAt at = line.get();
                    at.find("prompt")
                            .ifPresent(text -> texts.put(at.get("request_id").asLong(), text.asString()));
                }
            }
        }
        return texts;
    }

    /** A text of so many short words that differs from request to request, so that no prefix is found in a cache. */
    private static String words(long request, long tokens) {
        StringBuilder text = new StringBuilder();
        long state = request * 0x9e3779b97f4a7c15L + 1;
        for (long i = 0; i < tokens; i++) {
            state = state * 6364136223846793005L + 1442695040888963407L;
            text.append(WORDS[(int) (state >>> 60)]);
        }
        return text.toString();
    }

    public List<PlannedRequest> requests() {
        return requests;
    }

    public String promptId(int request) {
        return promptIds.get(request);
    }

    public long prefill(int request) {
        return prefill.get(request);
    }

    public long decode(int request) {
        return decode.get(request);
    }
}
