package dev.stagesim.model;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Test;

final class PathPartTest {
    static final List<String> HOSTILE = List.of(
            "",
            " ",
            ".",
            "..",
            "../../../../etc/x",
            "/etc/passwd",
            "C:\\Windows",
            "a/../../b",
            "a\\..\\b",
            "\0",
            "a\nb",
            "a\tb",
            "\u202e",
            "nul",
            "CON.csv",
            "Lpt1",
            "name.",
            "name ",
            "-rf",
            ".hidden",
            "~",
            "$(touch x)",
            "é",
            "模型",
            "n".repeat(300),
            "/".repeat(300));

    @Test
    void convertsAnyTextToALegalName() {
        Set<String> names = new HashSet<>();
        for (String text : HOSTILE) {
            String name = PathPart.of(text);
            assertThat(PathPart.isSafe(name)).as(text).isTrue();
            assertThat(PathPart.of(text)).isEqualTo(name);
            assertThat(PathPart.of(name)).isEqualTo(name);
            names.add(name);
            assertThat(PathPart.isSafe(PathPart.slug(text))).as(text).isTrue();
            for (String part : PathPart.model(text).split("/", -1)) {
                assertThat(PathPart.isSafe(part)).as(text).isTrue();
            }
            assertThat(PathPart.label(text)).as(text).matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?");
        }
        assertThat(names).hasSameSizeAs(HOSTILE);
    }

    @Test
    void convertsDifferentTextsToDifferentNames() {
        Random random = new Random(7);
        Set<String> texts = new HashSet<>();
        Set<String> names = new HashSet<>();
        for (int i = 0; i < 5_000; i++) {
            StringBuilder text = new StringBuilder();
            for (int n = random.nextInt(12); n > 0; n--) {
                text.append("./\\-aA0 \n\0$:é".charAt(random.nextInt(13)));
            }
            if (texts.add(text.toString())) {
                String name = PathPart.of(text.toString());
                assertThat(PathPart.isSafe(name)).as(text.toString()).isTrue();
                assertThat(names.add(name)).as(text.toString()).isTrue();
            }
        }
    }

    @Test
    void keepsLegalNames() {
        assertThat(PathPart.of("Llama-2-7b_hf.v1")).isEqualTo("Llama-2-7b_hf.v1");
        assertThat(PathPart.model("meta-llama/Llama-2-7b-hf")).isEqualTo("meta-llama/Llama-2-7b-hf");
        assertThat(PathPart.slug("A100-SXM-80GB")).isEqualTo("a100_sxm_80gb");
        assertThat(PathPart.label("plan-Qwen3 MoE")).isEqualTo("plan-qwen3-moe");
        assertThat(PathPart.model("/models/Llama-3-8B")).doesNotContain("/");
    }
}
