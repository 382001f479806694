package dev.stagesim.io.tokenizer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

class TokenizerTest {
    private static final Path HOME = Path.of(".");
    private static final String VOCAB =
            "{\"h\":0,\"e\":1,\"l\":2,\"o\":3,\"Ġ\":4,\"he\":5,\"ll\":6,\"hell\":7,\"hello\":8,\"Ġhe\":9,\"Ġhello\":10}";
    private static final String MERGES = "[\"h e\",\"l l\",\"he ll\",\"hell o\",\"Ġ hello\"]";

    @Test
    void countsWithBuiltInEncodings() throws IOException {
        assertThat(Tokenizer.open("cl100k_base", HOME).count("hello world")).isEqualTo(2);
        assertThat(Tokenizer.open("o200k_base", HOME).count("hello world")).isEqualTo(2);
        assertThat(Tokenizer.open("cl100k_base", HOME).count("")).isZero();
        // Special tokens in a prompt are ordinary text.
        assertThat(Tokenizer.open("cl100k_base", HOME).count("<|endoftext|>")).isGreaterThan(1);
    }

    @Test
    void suggestsNamesForUnknownOnes() {
        assertThatThrownBy(() -> Tokenizer.open("cl100_base", HOME))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("did you mean")
                .hasMessageContaining("cl100k_base");
    }

    @Test
    void mergesTheLowestRankFirst() throws IOException {
        Tokenizer tokenizer =
                open("{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":true}", "null", MERGES);
        assertThat(tokenizer.count("hello")).isEqualTo(1);
        assertThat(tokenizer.count("hello hello")).isEqualTo(2);
        assertThat(tokenizer.count("helo")).isEqualTo(3);
        assertThat(tokenizer.count("")).isZero();
    }

    @Test
    void readsMergesAsPairsAndSequences() throws IOException {
        String split =
                "{\"type\":\"Sequence\",\"pretokenizers\":[{\"type\":\"Split\",\"pattern\":{\"Regex\":\" ?[a-z]+\"},"
                        + "\"behavior\":\"Isolated\",\"invert\":false},{\"type\":\"ByteLevel\",\"add_prefix_space\":false,\"use_regex\":false}]}";
        Tokenizer tokenizer = open(split, "{\"type\":\"NFC\"}", "[[\"h\",\"e\"],[\"l\",\"l\"],[\"he\",\"ll\"]]");
        assertThat(tokenizer.count("hello hello")).isEqualTo(5);
    }

    @Test
    void countsBytesInsteadOfCharacters() {
        ByteLevelBpe bpe = new ByteLevelBpe(Map.of(), Map.of(), List.of(Pattern.compile("\\S+")), false, false);
        assertThat(bpe.tokens("é x")).containsExactly("Ã", "©", "Ġ", "x");
        assertThat(bpe.count("日")).isEqualTo(3);
    }

    @Test
    void readsWholeWordsAndPrefixSpace() {
        ByteLevelBpe bpe = new ByteLevelBpe(Map.of("Ġhey", 1), Map.of(), List.of(), true, true);
        assertThat(bpe.tokens("hey")).containsExactly("Ġhey");
        assertThat(bpe.tokens(" hey")).containsExactly("Ġhey");
    }

    @Test
    void rejectsUnknownParts() {
        assertThatThrownBy(() -> open("{\"type\":\"Metaspace\"}", "null", MERGES))
                .hasMessageContaining("Metaspace");
        assertThatThrownBy(() -> open("{\"type\":\"Digits\"}", "null", MERGES)).hasMessageContaining("ByteLevel");
        assertThatThrownBy(() -> open("{\"type\":\"ByteLevel\"}", "{\"type\":\"Lowercase\"}", MERGES))
                .hasMessageContaining("NFC");
    }

    private static Tokenizer open(String preTokenizer, String normalizer, String merges) throws IOException {
        FileSystem fs = Jimfs.newFileSystem(Configuration.unix());
        Path file = fs.getPath("/tokenizer.json");
        Files.writeString(
                file,
                "{\"normalizer\":" + normalizer + ",\"pre_tokenizer\":" + preTokenizer
                        + ",\"model\":{\"type\":\"BPE\",\"vocab\":" + VOCAB + ",\"merges\":" + merges + "}}");
        return Tokenizer.open("tokenizer.json", fs.getPath("/"));
    }
}
