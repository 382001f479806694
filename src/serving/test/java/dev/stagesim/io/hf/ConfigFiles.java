package dev.stagesim.io.hf;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;

/** Model files for tests, with apostrophes instead of quotation marks. */
final class ConfigFiles {
    /** A dense model with four layers; tests append members. */
    static final String DENSE =
            "'model_type': 'llama', 'hidden_size': 512, 'num_hidden_layers': 4, 'num_attention_heads': 8,"
                    + " 'num_key_value_heads': 2, 'intermediate_size': 1024, 'vocab_size': 1000, 'max_position_embeddings': 4096,"
                    + " 'tie_word_embeddings': false";

    /** A mixture of experts. */
    static final String MIXTURE = "'model_type': 'deepseek_v3', 'hidden_size': 512, 'num_hidden_layers': 4,"
            + " 'num_attention_heads': 8, 'num_key_value_heads': 2, 'intermediate_size': 1024, 'vocab_size': 1000, 'max_position_embeddings': 4096,"
            + " 'n_routed_experts': 8, 'num_experts_per_tok': 2, 'moe_intermediate_size': 256, 'n_shared_experts': 1,"
            + " 'first_k_dense_replace': 1";

    private ConfigFiles() {}

    static ModelCard read(String members) {
        return read("org/model", members, "");
    }

    /** Reads a config.json with the members, and a hf_quant_config.json unless its text is empty. */
    static ModelCard read(String name, String members, String quantization) {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path folder = Files.createDirectories(files.getPath("/model"));
            Path config = folder.resolve("config.json");
            Files.writeString(config, "{" + members.replace('\'', '"') + "}");
            if (!quantization.isEmpty()) {
                Files.writeString(folder.resolve("hf_quant_config.json"), quantization.replace('\'', '"'));
            }
            return ModelConfig.read(config, name);
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    /** Returns the shares of a group by precision. */
    static Map<Precision, Double> shares(ModelCard card, LayerGroup group) {
        Map<Precision, Double> shares = new TreeMap<>();
        card.stored(group).forEach(part -> shares.merge(part.precision(), part.share(), Double::sum));
        return shares;
    }
}
