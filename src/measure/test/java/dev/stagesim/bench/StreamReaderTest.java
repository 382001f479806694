package dev.stagesim.bench;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

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
