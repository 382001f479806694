package dev.stagesim.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class StreamReaderTest {
    private static final String CHAT =
            ": ping\n\nevent: message\ndata: {\"choices\":[{\"delta\":{\"role\":\"assistant\"}}]}\n\n"
                    + "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\r\n\r\n"
                    + "data:{\"choices\":[{\"delta\":{\"content\":\"\u00fc\"},\"finish_reason\":\"stop\"}]}\n\n"
                    + "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":2}}\n\ndata: [DONE]\n\n";

    private static StreamReader read(boolean chat, String text, int piece) {
        StreamReader reader = new StreamReader(chat);
        byte[] bytes = text.getBytes(StandardCharsets.UTF_8);
        for (int at = 0; at < bytes.length; at += piece) {
            reader.accept(ByteBuffer.wrap(bytes, at, Math.min(piece, bytes.length - at)), at);
        }
        return reader;
    }

    @Test
    void parsesStreamsInPieces() {
        for (int piece = 1; piece < 60; piece++) {
            StreamReader reader = read(true, CHAT, piece);
            assertThat(reader.problem()).isEmpty();
            assertThat(reader.chunks())
                    .as("a role alone is no output")
                    .hasSize(2)
                    .isSorted();
            assertThat(reader.promptTokens()).isEqualTo(4);
            assertThat(reader.outputTokens()).isEqualTo(2);
        }
    }

    /** vLLM sends an event per token, also for a part of a character. */
    @Test
    void countsTokensOfACompletionThatAreNotShown() {
        String hidden = "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":null}]}\n\n";
        String end = "data: {\"choices\":[{\"text\":\"\",\"finish_reason\":\"length\"}]}\n\n"
                + "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":4,\"completion_tokens\":%d}}\n\n";
        StreamReader withToken = read(false, hidden + hidden + end.formatted(3), 7);
        assertThat(withToken.problem()).isEmpty();
        assertThat(withToken.chunks()).hasSize(3).isSorted();
        assertThat(read(false, hidden + hidden + end.formatted(2), 7).count()).isEqualTo(2);
    }

    /**
     * Events: h has no text, t has text, i has token ids alone, E is a last event without text.
     *
     * @param usage output tokens that the server counts, or -1
     * @param chunks indices of the counted events
     */
    @ParameterizedTest
    @CsvSource({
        "httE, 3, 1 2 3", "httE, 2, 1 2", "httE, 4, 0 1 2 3", "httE, -1, 1 2", "httE, 8, 1 2",
        "hhttE, 4, 0 1 2 3", "thtE, 4, 0 1 2 3", "thtE, 3, 0 1 2", "thtE, 9, 0 1 2", "ttE, -1, 0 1",
        "itE, 2, 0 1", "ihE, -1, 0 1", "hhE, 5, 0 1", "E, 5, 0", "hE, 1, 1"
    })
    void countsHiddenTokensThatTheUsageConfirms(String events, int usage, String chunks) {
        StreamReader reader = new StreamReader(false);
        for (int i = 0; i < events.length(); i++) {
            char kind = events.charAt(i);
            String event = "data: {\"choices\":[{\"text\":\"" + (kind == 't' ? "a" : "") + "\",\"token_ids\":"
                    + (kind == 'i' ? "[7]" : "null") + ",\"finish_reason\":" + (kind == 'E' ? "\"stop\"" : "null")
                    + "}]}\n";
            reader.accept(ByteBuffer.wrap(event.getBytes(StandardCharsets.UTF_8)), 100 + i);
        }
        if (usage >= 0) {
            String event = "data: {\"choices\":[],\"usage\":{\"completion_tokens\":" + usage + "}}\n";
            reader.accept(ByteBuffer.wrap(event.getBytes(StandardCharsets.UTF_8)), 200);
        }
        assertThat(reader.problem()).isEmpty();
        assertThat(reader.chunks())
                .containsExactly(Arrays.stream(chunks.split(" "))
                        .mapToLong(at -> 100 + Long.parseLong(at))
                        .toArray());
        assertThat(reader.count()).isEqualTo(reader.chunks().length);
    }

    @Test
    void endsStreamAtFinishReasonWithoutDone() {
        assertThat(read(false, "data: {\"choices\":[{\"text\":\"a\",\"finish_reason\":\"length\"}]}\n\n", 7)
                        .problem())
                .isEmpty();
        assertThat(read(false, "data: {\"choices\":[{\"text\":\"a\"}]}\n\n", 7)
                        .problem()
                        .orElse(""))
                .contains("ended early");
        assertThat(read(false, "data: [DONE]\n\n", 7).problem().orElse("")).contains("no output");
        assertThat(read(false, "data: {\"choices\":oops}\n\n", 7).problem().orElse(""))
                .contains("not a completion");
    }
}
