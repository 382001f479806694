package dev.stagesim.io.trace;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonDocuments;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.ToIntFunction;
import org.jspecify.annotations.Nullable;

/** Requests with text: JSON lines of prompts, or a JSON array of conversations. */
final class TextTrace extends TraceReader {
    private static final Set<String> HUMAN = Set.of("human", "user");

    private final JsonDocuments documents;
    private final boolean conversations;
    private final ToIntFunction<String> tokens;
    private @Nullable JsonAt row;

    private TextTrace(JsonDocuments documents, boolean conversations, ToIntFunction<String> tokens) {
        this.documents = documents;
        this.conversations = conversations;
        this.tokens = tokens;
    }

    /** One {@code {"prompt": ..., "prompt_id": ..., "output_tokens": ...}} a line; the last two may be missing. */
    static TraceReader prompts(Path file, ToIntFunction<String> tokens) throws IOException {
        return new TextTrace(JsonDocuments.open(file, JsonMode.STRICT), false, tokens);
    }

    /** Conversations; the first two turns of each make a request, those without an answer, and entries without turns, are left out. */
    static TraceReader shareGpt(Path file, ToIntFunction<String> tokens) throws IOException {
        return new TextTrace(JsonDocuments.openItems(file, JsonMode.STRICT), true, tokens);
    }

    @Override
    boolean hasTimes() {
        return false;
    }

    @Override
    boolean hasLengths() {
        return true;
    }

    @Override
    boolean hasText() {
        return true;
    }

    @Override
    boolean outputOptional() {
        return !conversations;
    }

    @Override
    Step next() throws IOException {
        Optional<JsonAt> next = documents.next();
        if (next.isEmpty()) {
            return Step.END;
        }
        row = next.get();
        try {
            return conversations ? conversation(next.get()) : prompt(next.get());
        } catch (StageException e) {
            throw new BadRow(e.problems().get(0));
        }
    }

    private Step prompt(JsonAt row) {
        text = row.get("prompt").asString();
        id = row.find("prompt_id").map(JsonAt::asString).orElse("");
        decode = row.find("output_tokens").map(TextTrace::positive).orElse(0);
        prefill = tokens.applyAsInt(text);
        return Step.ROW;
    }

    private Step conversation(JsonAt row) {
        if (row.find("conversations").isEmpty()) {
            return Step.OTHER;
        }
        List<JsonAt> turns = row.get("conversations").items();
        if (turns.size() < 2 || !HUMAN.contains(turns.get(0).get("from").asString())) {
            return Step.OTHER;
        }
        text = turns.get(0).get("value").asString();
        id = row.find("id").map(JsonAt::asString).orElse("");
        prefill = tokens.applyAsInt(text);
        decode = tokens.applyAsInt(turns.get(1).get("value").asString());
        return Step.ROW;
    }

    private static int positive(JsonAt value) {
        int count = value.asInt();
        if (count < 1) {
            throw value.expected("a whole number from 1 on");
        }
        return count;
    }

    @Override
    Problem problem(String what) {
        return Objects.requireNonNull(row).problem(what);
    }

    @Override
    public void close() throws IOException {
        documents.close();
    }
}
