package dev.stagesim.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class ModelImportCommandTest {
    private static final String CONFIG =
            """
            {"model_type": "llama", "hidden_size": 512, "num_hidden_layers": 4, "num_attention_heads": 8,
             "intermediate_size": 1024, "vocab_size": 1000, "max_position_embeddings": 4096}
            """;

    @TempDir
    private Path folder;

    private Path config = Path.of("config.json");

    @BeforeEach
    void write() throws IOException {
        config = Files.writeString(folder.resolve("config.json"), CONFIG);
    }

    @Test
    void writesAndReplacesCards() {
        Path card = folder.resolve("model/mine.conf");
        for (int i = 0; i < 2; i++) {
            assertThat(imported(card).exit()).isZero();
        }
        assertThat(card).content().contains("hidden_size = 512");
    }

    @Test
    void keepsOtherFiles() throws IOException {
        Path notes = Files.writeString(folder.resolve("notes.txt"), "notes");
        Path quantisation = Files.writeString(
                folder.resolve("hf_quant_config.json"), "{\"quantization\": {\"quant_algo\": \"FP8\"}}");
        for (Path output : new Path[] {config, notes, quantisation}) {
            CliTester run = imported(output);
            assertThat(run.exit()).isEqualTo(2);
            assertThat(run.err()).contains(output.toString(), "is not a model card");
        }
        assertThat(config).hasContent(CONFIG);
        assertThat(notes).hasContent("notes");
    }

    @Test
    void rejectsADirectory() {
        CliTester run = imported(folder);
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).contains("is a directory");
    }

    private CliTester imported(Path output) {
        return CliTester.run("model", "import", config.toString(), "--output", output.toString());
    }
}
