package dev.stagesim.stage.realbench;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.settings.RealSettings;
import dev.stagesim.settings.RealSettings.Source;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * JSON of {@code vllm bench serve}: one object, or several one after the other where results were appended.
 *
 * <p>Its scalars are in ms and its arrays in s; failed requests stay in the arrays and leave the aggregates.
 */
final class VllmFormat implements ResultFormat {
    @Override
    public Source source() {
        return Source.VLLM;
    }

    @Override
    public String describe() {
        return "JSON of vllm bench serve --save-result --save-detailed";
    }

    @Override
    public boolean recognises(Path file) throws IOException {
        if (!Files.isRegularFile(file)) {
            return false;
        }
        try (JsonDocuments documents = Json.stream(file, JsonMode.NON_FINITE)) {
            Optional<JsonAt> first = documents.next();
            return first.isPresent()
                    && first.get().value() instanceof dev.stagesim.io.json.JsonValue.Obj
                    && first.get().has("model_id")
                    && (first.get().has("num_prompts") || first.get().has("completed"));
        } catch (StageException e) {
            return false;
        }
    }

    @Override
    public Measurement read(Path file, RealSettings settings) throws IOException {
        return new VllmResult(pick(Json.readAll(file, JsonMode.NON_FINITE), file, settings), settings).measurement();
    }

    private static JsonAt pick(List<JsonAt> results, Path file, RealSettings settings) {
        if (results.isEmpty()) {
            throw StageException.input(Problem.of("artifact error", file.toString(), "the file is empty"));
        }
        if (results.get(0).value() instanceof dev.stagesim.io.json.JsonValue.Arr) {
            throw StageException.input(results.get(0)
                    .problem("found an array, expected the object that vllm bench serve writes")
                    .hint("a *.pytorch.json file holds summary records only: give the file beside it"));
        }
        if (settings.entry().isEmpty() && results.size() == 1) {
            return results.get(0);
        }
        List<String> choices = new ArrayList<>();
        for (int i = 0; i < results.size(); i++) {
            choices.add(i + label(results.get(i)));
        }
        int entry = settings.entry().orElse(-1);
        if (entry < 0 || entry >= results.size()) {
            throw StageException.input(Problem.of(
                            "config error",
                            "real.entry",
                            (entry < 0 ? "not set" : "is " + entry) + ", but " + file + " holds " + results.size()
                                    + (results.size() == 1 ? " result" : " results, one after the other"))
                    .options(choices));
        }
        return results.get(entry);
    }

    private static String label(JsonAt result) {
        String date = result.find("date").map(JsonAt::asString).orElse("no date");
        String rate = result.find("request_rate")
                .map(at -> Json.compact(JsonFacts.finite(at.value())))
                .orElse("unknown");
        return " (" + date + ", request_rate " + rate + ")";
    }
}
