package dev.stagesim.bench;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Optional;

/**
 * Takes a stream of server-sent events apart: when chunks with output came, what the server counts, and how it ended.
 *
 * <p>Used by one thread at a time. A line may arrive in pieces; comments and other fields of the protocol are passed over.
 */
final class StreamReader {
    private static final String DATA = "data:";
    private static final int LONGEST_LINE = 1 << 24;

    private final boolean chat;
    private byte[] line = new byte[512];
    private int length;
    private long[] chunks = new long[32];
    private int count;
    private long promptTokens = -1;
    private long outputTokens = -1;
    private boolean done;
    private boolean finished;
    private Optional<String> trouble = Optional.empty();

    StreamReader(boolean chat) {
        this.chat = chat;
    }

    /** Takes bytes that came at a time; false when the stream is no completion stream and need not be read on. */
    boolean accept(ByteBuffer bytes, long nowNs) {
        while (bytes.hasRemaining() && trouble.isEmpty()) {
            byte next = bytes.get();
            if (next == '\n') {
                line(nowNs);
                length = 0;
            } else if (next != '\r') {
                append(next);
            }
        }
        return trouble.isEmpty();
    }

    private void append(byte next) {
        if (length == line.length) {
            if (length >= LONGEST_LINE) {
                trouble = Optional.of("a line of the stream is longer than " + LONGEST_LINE + " bytes");
                return;
            }
            line = Arrays.copyOf(line, 2 * length);
        }
        line[length++] = next;
    }

    private void line(long nowNs) {
        String text = new String(line, 0, length, StandardCharsets.UTF_8);
        if (!text.startsWith(DATA)) {
            if (!text.isBlank() && !text.startsWith(":") && !text.matches("(event|id|retry):.*")) {
                trouble = Optional.of("the answer is no event stream: " + few(text));
            }
            return;
        }
        String data = text.substring(DATA.length()).strip();
        if (data.equals("[DONE]")) {
            done = true;
            return;
        }
        try {
            event(Json.parse(data, "event"), nowNs);
        } catch (StageException e) {
            trouble = Optional.of("an event of the stream is no completion: " + few(data));
        }
    }

    private void event(LocatedJson event, long nowNs) {
        event.find("error").ifPresent(error -> trouble = Optional.of("the server says: " + message(error)));
        event.find("usage").ifPresent(usage -> {
            promptTokens = usage.find("prompt_tokens").map(LocatedJson::asLong).orElse(promptTokens);
            outputTokens =
                    usage.find("completion_tokens").map(LocatedJson::asLong).orElse(outputTokens);
        });
        for (LocatedJson choice : event.find("choices").map(LocatedJson::items).orElse(java.util.List.of())) {
            if (!text(choice).isEmpty()) {
                chunk(nowNs);
            }
            finished |= choice.find("finish_reason").isPresent();
        }
    }

    /** Text of a choice; reasoning counts as output. */
    private String text(LocatedJson choice) {
        if (!chat) {
            return choice.find("text").map(LocatedJson::asString).orElse("");
        }
        Optional<LocatedJson> delta = choice.find("delta");
        return delta.flatMap(at -> at.find("content"))
                        .map(LocatedJson::asString)
                        .orElse("")
                + delta.flatMap(at -> at.find("reasoning_content"))
                        .map(LocatedJson::asString)
                        .orElse("");
    }

    private void chunk(long nowNs) {
        if (count == chunks.length) {
            chunks = Arrays.copyOf(chunks, 2 * count);
        }
        chunks[count++] = nowNs;
    }

    private static String message(LocatedJson error) {
        if (error.value() instanceof JsonValue.Str text) {
            return text.value();
        }
        return error.value() instanceof JsonValue.Obj
                ? error.find("message").map(LocatedJson::asString).orElse("an error without a message")
                : "an error without a message";
    }

    static String few(String text) {
        return text.length() <= 120 ? text : text.substring(0, 120) + "...";
    }

    int count() {
        return count;
    }

    /** True when the answer is whole. */
    boolean ended() {
        return done || finished;
    }

    long[] chunks() {
        return Arrays.copyOf(chunks, count);
    }

    long promptTokens() {
        return promptTokens;
    }

    long outputTokens() {
        return outputTokens;
    }

    /** Why the stream is not a whole answer; empty when it is one. */
    Optional<String> verdict() {
        if (trouble.isPresent()) {
            return trouble;
        }
        if (!ended()) {
            return Optional.of("the stream ended early, after " + count + " chunks");
        }
        return count == 0 ? Optional.of("the answer holds no output") : Optional.empty();
    }
}
