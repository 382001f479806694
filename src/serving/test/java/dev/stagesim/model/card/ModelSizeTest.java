package dev.stagesim.model.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import com.typesafe.config.ConfigFactory;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.Test;

/** Compares computed sizes with the published tables. */
final class ModelSizeTest {
    @Test
    void matchesThePublishedSizes() throws IOException {
        List<NamedCsvRecord> rows = CardFiles.table("models.csv");
        assertThat(rows).hasSizeGreaterThan(70);
        for (NamedCsvRecord row : rows) {
            String name = row.getField("model");
            ModelSize size = CardFiles.model(name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "_"))
                    .size();
            near(name, size.parameters(), row.getField("params_b_calc"));
            near(name, size.activeParameters(), row.getField("active_params_b_calc"));
            assertThat(size.kvBytesPerToken())
                    .as(name)
                    .isEqualTo(Long.parseLong(row.getField("kv_bytes_per_token_bf16")));
        }
    }

    /** The tables have three decimals, and include norms and biases. */
    private static void near(String name, long counted, String billions) {
        double stated = Double.parseDouble(billions) * 1e9;
        assertThat((double) counted).as(name).isCloseTo(stated, within(0.001 * stated + 5e5));
    }

    @Test
    void changesTheSizeWithDimensions() {
        ModelSize whole = CardFiles.model("qwen3").size();
        ModelSize two = CardFiles.bind(
                        ConfigFactory.parseString("num_layers = 2").withFallback(CardFiles.config("model", "qwen3")),
                        ModelCard.class)
                .size();
        long embeddings = 151936L * 1024;
        long layer = 2L * 1024 * 128 * (16 + 8) + 3L * 1024 * 3072;
        assertThat(two.parameters()).isEqualTo(embeddings + 2 * layer);
        assertThat(whole.parameters()).isEqualTo(embeddings + 28 * layer);
        assertThat(two.kvBytesPerToken() * 14).isEqualTo(whole.kvBytesPerToken());
    }

    @Test
    void countsOnlyVisitedExpertsAsActive() {
        ModelSize size = CardFiles.model("mixtral_8x7b").size();
        assertThat(size.parameters() - size.activeParameters()).isEqualTo(32L * 6 * 3 * 4096 * 14336);
    }
}
