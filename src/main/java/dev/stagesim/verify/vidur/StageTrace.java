package dev.stagesim.verify.vidur;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.serving.Batch;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** The Chrome trace of a case, one complete event per stage execution in order of end. */
final class StageTrace {
    private record Running(long batch, int stage) {}

    private final Map<Running, Double> starts = new HashMap<>();
    private final List<JsonValue> events = new ArrayList<>();
    private boolean wanted;

    void want() {
        wanted = true;
    }

    void started(Batch batch, int stage, double time) {
        starts.put(new Running(batch.id(), stage), time);
    }

    /** Notes the end of a stage execution and returns when it had started. */
    double ended(Batch batch, int stage, double time, double seconds) {
        if (wanted) {
            events.add(event(batch, stage, time, seconds));
        }
        Double start = starts.remove(new Running(batch.id(), stage));
        return start == null ? Double.NaN : start;
    }

    private static JsonValue event(Batch batch, int stage, double time, double seconds) {
        List<JsonValue> requests = new ArrayList<>();
        List<JsonValue> tokens = new ArrayList<>();
        List<Integer> ids = new ArrayList<>();
        for (int i = 0; i < batch.size(); i++) {
            ids.add(batch.request(i));
            requests.add(JsonValue.of(batch.request(i)));
            tokens.add(JsonValue.of(batch.tokens(i)));
        }
        JsonValue.Obj args = JsonValue.object()
                .put("batch_id", batch.id())
                .put("batch_size", batch.size())
                .put("request_ids", JsonValue.of(requests))
                .put("num_tokens", JsonValue.of(tokens))
                .build();
        return JsonValue.object()
                .put("name", ids.toString())
                .put("ph", "X")
                .put("ts", (time - seconds) * 1e6)
                .put("dur", seconds * 1e6)
                .put("pid", batch.replica())
                .put("tid", stage)
                .put("args", args)
                .build();
    }

    JsonValue json() {
        return JsonValue.object().put("traceEvents", JsonValue.of(events)).build();
    }
}
