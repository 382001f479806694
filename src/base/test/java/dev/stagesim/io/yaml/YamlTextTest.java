package dev.stagesim.io.yaml;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.JsonValue;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;

final class YamlTextTest {
    private static final List<String> TEXTS = List.of(
            "",
            " ",
            "plain",
            "yes",
            "NO",
            "null",
            "~",
            "1e3",
            "0o17",
            "017",
            "1_000",
            "12:30:00",
            "2026-11-28",
            "0x1F",
            "=",
            "<<",
            "- a",
            "-leading",
            "a: b",
            "a #b",
            "'q'",
            "\"q\"",
            "`id`",
            "$(touch PWNED)",
            "{a}",
            "[a]",
            "*a",
            "&a",
            "!a",
            "%a",
            "@a",
            "|",
            ">",
            "---",
            "...",
            "a\nb",
            "a\nkey: value\n",
            "\n a",
            " a\nb",
            "a \nb",
            "a\n\n\n",
            "a\tb",
            "a\rb",
            "\u0085",
            "\u2028",
            "é模型",
            "\ud83d\ude00",
            "\\",
            "image:latest",
            "vllm/vllm-openai:latest");

    private static void same(String text) {
        JsonValue document = JsonValue.object()
                .put("name", text)
                .put(text.isEmpty() ? "empty" : text, JsonValue.strings(List.of(text, text)))
                .put(
                        "map",
                        JsonValue.object()
                                .put("inner", text)
                                .put("number", 3)
                                .put("flag", true)
                                .build())
                .build();
        assertThat(Yaml.parse(YamlText.of(document), "text").value()).as(text).isEqualTo(document);
    }

    @Test
    void writesTextsThatAreReadUnchanged() {
        TEXTS.forEach(YamlTextTest::same);
    }

    @Test
    void writesRandomTextsThatAreReadUnchanged() {
        Random random = new Random(3);
        String letters = "ab01:-#'\"\n \t{}[],&*!|>%@`$\\yn~.é";
        for (int i = 0; i < 2_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = 1 + random.nextInt(10); n > 0; n--) {
                text.append(letters.charAt(random.nextInt(letters.length())));
            }
            same(text.toString());
        }
    }

    @Test
    void quotesTextThatLooksLikeANumberInAnyVersion() {
        assertThat(YamlText.of(JsonValue.object()
                        .put("a", "1e3")
                        .put("b", "0o17")
                        .put("c", "on")
                        .build()))
                .contains("a: \"1e3\"", "b: \"0o17\"", "c: \"on\"");
    }

    @Test
    void separatesDocuments() {
        JsonValue document = JsonValue.object().put("a", 1).build();
        assertThat(YamlText.of(document, document)).isEqualTo("a: 1\n---\na: 1\n");
    }
}
