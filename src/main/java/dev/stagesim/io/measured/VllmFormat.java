package dev.stagesim.io.measured;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import java.io.IOException;
import java.nio.file.Path;

/**
 * JSON of {@code vllm bench serve}: one object, or several one after the other where results were appended.
 *
 * <p>Its scalars are in ms and its arrays in s; failed requests stay in the arrays and leave the aggregates.
 */
final class VllmFormat implements ResultFormat {
    @Override
    public String name() {
        return "vllm";
    }

    @Override
    public String describe() {
        return "JSON of vllm bench serve --save-result --save-detailed";
    }

    @Override
    public boolean recognises(Glimpse file) {
        return file.hasMembers("model_id") && (file.hasMembers("num_prompts") || file.hasMembers("completed"));
    }

    @Override
    public Measurement read(Path file, ReadOptions options) throws IOException {
        return new VllmResult(Entries.pick(file, options, VllmFormat::label), options).measurement();
    }

    private static String label(JsonAt result) {
        String date = result.find("date").map(JsonAt::asString).orElse("no date");
        String rate = result.find("request_rate")
                .map(at -> Json.compact(JsonFacts.finite(at.value())))
                .orElse("unknown");
        return " (" + date + ", request_rate " + rate + ")";
    }
}
