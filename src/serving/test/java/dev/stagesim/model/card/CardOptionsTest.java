package dev.stagesim.model.card;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.typesafe.config.Config;
import com.typesafe.config.ConfigValueType;
import de.siegmar.fastcsv.reader.NamedCsvRecord;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.hardware.HardwareCard;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Compares every card option with the published tables. */
final class CardOptionsTest {
    /** Keys without a column in the tables: the layout of layers, and text next to a number. */
    private static final Set<String> EXTRA = Set.of(
            "post_attention_norm",
            "qk_norm",
            "onchip_kind",
            "scaleup_topology",
            "host_class",
            "visible_mem_gib",
            "attention_layers",
            "ffn_layers",
            "state_layers",
            "state_dim",
            "state_size",
            "state_group_dim",
            "index_topk",
            "index_heads",
            "index_dim",
            "attention_params",
            "mtp_layers",
            "weights",
            "expert_weights");

    /** Options without a table row: the built-in model and the local machine. */
    private static final Set<String> OWN = Set.of("tiny", "local");

    /** Columns that follow from the dimensions; a card must not state them, see {@link ModelSizeTest}. */
    private static final Set<String> COUNTED =
            Set.of("params_b_calc", "active_params_b_calc", "kv_bytes_per_token_bf16");

    @Test
    void matchesTheTableOfModels() throws IOException {
        check("model", "models.csv", "model", ModelCard.class);
    }

    @Test
    void matchesTheTableOfHardware() throws IOException {
        check("hardware", "hardware.csv", "name", HardwareCard.class);
    }

    private static void check(String group, String table, String nameColumn, Class<? extends Record> type)
            throws IOException {
        Set<String> found = new TreeSet<>();
        for (String option : CardFiles.options(group)) {
            if (!OWN.contains(option) && !CardFiles.isShortName(group, option)) {
                found.add(option);
            }
        }
        List<NamedCsvRecord> rows = CardFiles.table(table);
        assertThat(rows).hasSizeGreaterThan(40);
        assertThat(found)
                .containsExactlyInAnyOrderElementsOf(
                        rows.stream().map(r -> slug(r.getField(nameColumn))).toList());
        for (NamedCsvRecord row : rows) {
            equal(row, CardFiles.file(group, slug(row.getField(nameColumn))), nameColumn, type);
        }
    }

    private static void equal(NamedCsvRecord row, Config card, String nameColumn, Class<? extends Record> type) {
        CardFiles.bind(card, type);
        Map<String, String> fields = row.getFieldsAsMap();
        List<String> columns =
                row.getHeader().stream().filter(c -> !COUNTED.contains(c)).toList();
        for (String column : columns) {
            String key = column.equals(nameColumn) ? "name" : column;
            String text = fields.get(column);
            assertThat(card.hasPath(key))
                    .as("%s of %s", key, card.getString("name"))
                    .isEqualTo(hasValue(key, text));
            if (card.hasPath(key)) {
                same(key, card, text);
            }
        }
        List<String> keys = KeyRecord.components(type).stream()
                .map(c -> CardFiles.key(c.getName()))
                .toList();
        assertThat(keys).containsAll(card.root().keySet());
        List<String> expected = new ArrayList<>(columns);
        expected.replaceAll(c -> c.equals(nameColumn) ? "name" : c);
        assertThat(keys).containsAll(expected);
        assertThat(card.root().keySet()).allMatch(k -> EXTRA.contains(k) || expected.contains(k));
    }

    /** A domain that the table describes only as text has no number. */
    private static boolean hasValue(String key, String text) {
        return key.equals("scaleup_domain") ? text.matches("\\d.*") : !text.isEmpty();
    }

    private static void same(String key, Config card, String text) {
        if (card.getValue(key).valueType() != ConfigValueType.NUMBER) {
            String wanted = Set.of("attention", "confidence").contains(key) ? text.toLowerCase(Locale.ROOT) : text;
            assertThat(card.getString(key)).as(key).isEqualTo(wanted);
            return;
        }
        String number = text.split("[ +(]", 2)[0];
        assertThat(card.getDouble(key)).as(key).isEqualTo(Double.parseDouble(number));
        if (key.equals("onchip_mb")) {
            assertThat(text.replace("+", "")).isEqualTo(number + " " + card.getString("onchip_kind"));
        }
        if (card.hasPath("scaleup_topology") && key.equals("scaleup_domain")) {
            assertThat(text).isEqualTo(number + " (" + card.getString("scaleup_topology") + ")");
        }
    }

    private static String slug(String name) {
        return name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]", "_");
    }

    @Test
    void resolvesShortNames() throws IOException {
        for (String group : List.of("model", "hardware")) {
            for (String option : CardFiles.options(group)) {
                if (option.equals("local")) {
                    continue; // LocalHardwareTest covers the card that inspects the machine.
                }
                assertThat(CardFiles.config(group, option).hasPath("name"))
                        .as(option)
                        .isTrue();
            }
        }
        assertThat(CardFiles.model("qwen3").name()).isEqualTo("Qwen/Qwen3-0.6B");
        assertThat(CardFiles.model("llama3_8b").shape().numKvHeads()).isEqualTo(8);
        assertThat(CardFiles.hardware("a100").name()).isEqualTo("A100-SXM-80GB");
        assertThat(CardFiles.hardware("h100").name()).isEqualTo("H100-SXM-80GB");
        assertThat(CardFiles.hardware("h200").name()).isEqualTo("H200-SXM-141GB");
        assertThat(CardFiles.hardware("a30").memory().memGb()).isEqualTo(24);
    }

    @Test
    void readsNameStorageAndContextOfQuantizedCards() throws IOException {
        for (String option : CardFiles.options("model")) {
            Config card = CardFiles.file("model", option);
            assertThat(card.hasPath("name") || !card.hasPath("weights"))
                    .as("%s states its storage without its name", option)
                    .isTrue();
        }
        ModelCard kimi = CardFiles.model("moonshotai_kimi_k2_5");
        assertThat(kimi.name()).isEqualTo("moonshotai/Kimi-K2.5");
        assertThat(kimi.maxPosition()).isEqualTo(262_144);
        assertThat(kimi.expertPrecision()).isEqualTo(Precision.INT4);
        assertThat(kimi.bytes(LayerGroup.ATTENTION)).isEqualTo(2);
        ModelCard deepseek = CardFiles.model("nvidia_deepseek_v3_1_nvfp4");
        assertThat(deepseek.name()).isEqualTo("nvidia/DeepSeek-V3.1-NVFP4");
        assertThat(deepseek.formats().kvCache()).isEqualTo(Precision.FP8);
        assertThat(CardFiles.model("nvidia_qwen3_32b_nvfp4").origin().confidence())
                .isEqualTo(Confidence.LOW);
        assertThat(CardFiles.model("nvidia_qwen3_32b_nvfp4").warnings()).isNotEmpty();
    }

    @Test
    void readsTheHeadWidthOfACard() {
        ModelCard qwen3 = CardFiles.model("qwen3");
        assertThat(qwen3.shape().headDim())
                .isEqualTo(128)
                .isNotEqualTo(qwen3.shape().hiddenSize() / qwen3.shape().numHeads());
    }

    @Test
    void fallsBackToTheFp16Rate() {
        assertThat(CardFiles.hardware("v100").bf16OrFp16Tflops()).contains(125.0);
        assertThat(CardFiles.hardware("a100").bf16OrFp16Tflops()).contains(312.0);
    }

    @Test
    void rejectsContradictoryDimensions() {
        Config card = CardFiles.file("model", "qwen_qwen3_0_6b");
        Config bad = com.typesafe.config.ConfigFactory.parseString("num_kv_heads = 5")
                .withFallback(card);
        assertThatThrownBy(() -> CardFiles.bind(bad, ModelCard.class))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("not a multiple of num_kv_heads 5");
    }
}
