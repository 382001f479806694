package dev.stagesim.bench;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/**
 * Parses the server-sent events of a completion: the times of chunks with output, the server's token counts, and the end.
 *
 * <p>Not thread-safe. A line may arrive in pieces. Comments and other fields of the protocol are ignored.
 */
final class StreamReader {
    private static final String DATA = "data:";
    private static final int MAX_LINE_BYTES = 1 << 24;

    private final boolean chat;
    private byte[] line = new byte[512];
    private int length;
    private long[] chunks = new long[32];
    private int count;

    /** Number of events without text before the first event with output. */
    private int leading;

    private long promptTokens = -1;
    private long outputTokens = -1;
    private boolean done;
    private boolean finished;

    /** Time of a last event without text, or 0. */
    private long hiddenEndNs;

    private Optional<String> fault = Optional.empty();

    StreamReader(boolean chat) {
        this.chat = chat;
    }

    /** Parses bytes that arrived at {@code nowNs}. Returns false if the stream is invalid. */
    boolean accept(ByteBuffer bytes, long nowNs) {
        while (bytes.hasRemaining() && fault.isEmpty()) {
            byte next = bytes.get();
            if (next == '\n') {
                line(nowNs);
                length = 0;
            } else if (next != '\r') {
                append(next);
            }
        }
        return fault.isEmpty();
    }

    private void append(byte next) {
        if (length == line.length) {
            if (length >= MAX_LINE_BYTES) {
                fault = Optional.of("a line of the stream is longer than " + MAX_LINE_BYTES + " bytes");
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
                fault = Optional.of("the response is not an event stream: " + abbreviate(text));
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
            fault = Optional.of("an event of the stream is not a completion: " + abbreviate(data));
        }
    }

    /** Reads an event. An event without text can have a token that is not shown, such as a part of a character. */
    private void event(LocatedJson event, long nowNs) {
        event.find("error").ifPresent(error -> fault = Optional.of("the server reports: " + message(error)));
        event.find("usage").ifPresent(usage -> {
            promptTokens = usage.find("prompt_tokens").map(LocatedJson::asLong).orElse(promptTokens);
            outputTokens =
                    usage.find("completion_tokens").map(LocatedJson::asLong).orElse(outputTokens);
        });
        for (LocatedJson choice : event.find("choices").map(LocatedJson::items).orElse(List.of())) {
            boolean isLast = choice.find("finish_reason").isPresent();
            boolean hasOutput = !text(choice).isEmpty() || hasTokenIds(choice);
            boolean isHidden = !chat && choice.has("text") && !hasOutput;
            if (isHidden && isLast) {
                hiddenEndNs = nowNs;
            } else if (isHidden || hasOutput) {
                leading += isHidden && leading == count ? 1 : 0;
                chunk(nowNs);
            }
            finished |= isLast;
        }
    }

    /** Returns the text of a choice. Reasoning counts as output. */
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

    private boolean hasTokenIds(LocatedJson choice) {
        Optional<LocatedJson> ids = chat ? Optional.empty() : choice.find("token_ids");
        return ids.filter(list -> !list.items().isEmpty()).isPresent();
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

    static String abbreviate(String text) {
        return text.length() <= 120 ? text : text.substring(0, 120) + "...";
    }

    /** Returns the number of events with output, as far as the events until now show it. */
    int count() {
        return count - skipped() + hiddenEnds();
    }

    /** Returns 1 if the last event has a hidden token: the server counts one more than the other events. */
    private int hiddenEnds() {
        int visible = count - leading;
        boolean isToken = outputTokens == visible + 1 || outputTokens == count + 1 || (count == 0 && outputTokens > 0);
        return hiddenEndNs != 0 && isToken ? 1 : 0;
    }

    /** Returns the number of first events without tokens: none if the server's count includes them. */
    private int skipped() {
        boolean areTokens = outputTokens == count + hiddenEnds() || (outputTokens > count && count == leading);
        return areTokens ? 0 : leading;
    }

    /** Returns true if the response is complete. */
    boolean ended() {
        return done || finished;
    }

    long[] chunks() {
        long[] times = Arrays.copyOfRange(chunks, skipped(), count + hiddenEnds());
        if (hiddenEnds() > 0) {
            times[times.length - 1] = hiddenEndNs;
        }
        return times;
    }

    long promptTokens() {
        return promptTokens;
    }

    long outputTokens() {
        return outputTokens;
    }

    /** Returns the reason why the response is invalid or incomplete, or empty if it is complete. */
    Optional<String> problem() {
        if (fault.isPresent()) {
            return fault;
        }
        if (!ended()) {
            return Optional.of("the stream ended early, after " + count() + " chunks");
        }
        return count() == 0 ? Optional.of("the response has no output") : Optional.empty();
    }
}
