package dev.stagesim.io.chakra;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

final class JsonBytesTest {
    @Test
    void writesIndentedAsciiLikePython() throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        JsonBytes json = new JsonBytes(out);
        json.open('{');
        json.member(JsonBytes.key("text"));
        json.text("x\"\n\u0001\u00e9");
        json.member(JsonBytes.key("unsigned"));
        json.quoted(-1, true);
        json.member(JsonBytes.key("signed"));
        json.quoted(-1, false);
        json.member(JsonBytes.key("float"));
        json.number(0.1f);
        json.member(JsonBytes.key("list"));
        json.open('[');
        json.entry();
        json.number(Double.NEGATIVE_INFINITY);
        json.close(']');
        json.member(JsonBytes.key("empty"));
        json.open('[');
        json.close(']');
        json.close('}');
        json.flush();
        assertThat(out.toString(StandardCharsets.US_ASCII))
                .isEqualTo(
                        """
                        {
                          "text": "x\\"\\n\\u0001\\u00e9",
                          "unsigned": "18446744073709551615",
                          "signed": "-1",
                          "float": 0.1,
                          "list": [
                            "-Infinity"
                          ],
                          "empty": []
                        }""");
    }
}
