package dev.stagesim.io.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;

import com.knuddels.jtokkit.Encodings;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Writes a built-in encoding as a {@code tokenizer.json}, reads it back, and compares the token counts. */
@Tag("long")
class ReferenceEncodingTest {
    private static final String GPT2 = "/com/knuddels/jtokkit/r50k_base.tiktoken";

    @Test
    void countsTokensLikeTheLibrary(@TempDir Path dir) throws IOException {
        Path file = dir.resolve("tokenizer.json");
        Files.writeString(file, tokenizerJson());
        Tokenizer read = Tokenizer.open(file.toString(), dir);
        Tokenizer library = Tokenizer.open("r50k_base", dir);
        for (String prompt : Files.readAllLines(Path.of("configs/prompts/chat.jsonl"))) {
            assertThat(read.count(prompt)).as(prompt).isEqualTo(library.count(prompt));
        }
        Random random = new Random(1);
        for (int i = 0; i < 300; i++) {
            String text = randomText(random);
            assertThat(read.count(text)).as(text).isEqualTo(library.count(text));
        }
    }

    private static String randomText(Random random) {
        String[] pieces = {
            "the",
            " quick",
            "  ",
            "\n\n",
            "é",
            "日本",
            "\uD83D\uDE80",
            "'ll",
            "42",
            " 1999",
            "\t",
            "_x",
            "!?",
            " don't",
            "Ж",
            "\u00A0"
        };
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(30); i >= 0; i--) {
            text.append(pieces[random.nextInt(pieces.length)]);
        }
        return text.toString();
    }

    /** The encoding lists tokens by rank. The merge of a token joins the two parts that merges of lower rank leave. */
    private static String tokenizerJson() throws IOException {
        Map<String, Integer> ranks = ranks();
        StringBuilder json = new StringBuilder("{\"normalizer\":null,\"pre_tokenizer\":{\"type\":\"ByteLevel\","
                + "\"add_prefix_space\":false},\"model\":{\"type\":\"BPE\",\"vocab\":{},\"merges\":[");
        String separator = "";
        for (Map.Entry<String, Integer> entry : ranks.entrySet()) {
            if (entry.getKey().length() > 1) {
                String merge = String.join(" ", parts(entry.getKey(), entry.getValue(), ranks));
                json.append(separator)
                        .append('"')
                        .append(merge.replace("\\", "\\\\").replace("\"", "\\\""));
                separator = "\",";
            }
        }
        return json.append("\"]}}").toString();
    }

    private static List<String> parts(String token, int below, Map<String, Integer> ranks) {
        List<String> parts = new ArrayList<>(List.of(token.split("")));
        while (parts.size() > 2) {
            int best = -1;
            int bestRank = below;
            for (int i = 0; i + 1 < parts.size(); i++) {
                int rank = ranks.getOrDefault(parts.get(i) + parts.get(i + 1), Integer.MAX_VALUE);
                if (rank < bestRank) {
                    best = i;
                    bestRank = rank;
                }
            }
            parts.set(best, parts.get(best) + parts.remove(best + 1));
        }
        return parts;
    }

    private static Map<String, Integer> ranks() throws IOException {
        Map<String, Integer> ranks = new LinkedHashMap<>();
        try (InputStream in = Objects.requireNonNull(Encodings.class.getResourceAsStream(GPT2));
                BufferedReader lines = new BufferedReader(new InputStreamReader(in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                int blank = line.indexOf(' ');
                byte[] token = Base64.getDecoder().decode(line.substring(0, blank));
                ranks.put(ByteLevelBpe.inByteChars(token), Integer.parseInt(line.substring(blank + 1)));
            }
        }
        return ranks;
    }
}
