package dev.stagesim.feature.pytorch.convert;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.pytorch.trace.JsonCursor;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class PythonReprTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            textBlock =
                    """
            []                        | []
            [1,[2, -0],{"a":null}]    | [1, [2, 0], {'a': None}]
            [ true , false,"<None>" ] | [True, False, '<None>']
            [1.50, 1E22, 0.00001]     | [1.5, 1e+22, 1e-05]
            [NaN, Infinity, -Infinity]| [nan, inf, -inf]
            "it's"                    | "it's"
            "it's \\"so\\""           | 'it\\'s "so"'
            "a\\nb\\u00e9\\u200b"     | 'a\\nb\u00e9\\u200b'
            "\\u0001\\u00ad \\ud83d\\ude00" | '\\x01\\xad \ud83d\ude00'
            12345678901234567890123   | 12345678901234567890123
            """)
    void printsValuesAsPythonDoes(String json, String python) {
        byte[] bytes = json.getBytes(StandardCharsets.UTF_8);
        PythonRepr text = new PythonRepr();
        assertThat(text.of(bytes, 0, bytes.length)).isEqualTo(python);
        assertThat(text.of(bytes, 0, bytes.length)).as("cached").isEqualTo(python);
    }

    @Test
    void skipsUnreadMembers() {
        byte[] json = "[[1, \"]\"], {\"k\": [2]}, \"x\\\"y\", -12, 3.5, null]".getBytes(StandardCharsets.UTF_8);
        JsonCursor cursor = new JsonCursor(json, 0, json.length);
        assertThat(cursor.enter('[')).isTrue();
        StringBuilder seen = new StringBuilder();
        for (int i = 0; cursor.more(); i++) {
            if (i == 2) {
                seen.append(cursor.text());
            } else {
                seen.append(cursor.whole(99));
            }
            seen.append(' ');
        }
        assertThat(seen).hasToString("99 99 x\"y -12 99 99 ");
    }
}
