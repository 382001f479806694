package dev.stagesim.io.hf;

import static dev.stagesim.io.hf.ConfigFiles.DENSE;
import static dev.stagesim.io.hf.ConfigFiles.read;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.card.Confidence;
import dev.stagesim.model.card.ModelCard;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class ContradictionsTest {
    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '"',
            value = {
                "'architectures': ['GPT2LMHeadModel'] | GPT2LMHeadModel",
                "'architectures': ['MambaForCausalLM'] | MambaForCausalLM",
                "'architectures': ['RwkvForCausalLM'] | RwkvForCausalLM",
                "'quantization_config': {'quant_method': 'mxfp4'} | covers no weight",
                "'quantization_config': {'quant_method': 'compressed-tensors', 'config_groups': {}} | covers no weight",
                "'architectures': ['LlamaForCausalLM', 'MixtralForCausalLM'] | MixtralForCausalLM",
                "'architectures': ['LlamaForSequenceClassification'] | does not generate text",
                "'architectures': ['LlamaBidirectionalModel'] | does not generate text",
                "'num_local_experts': 8, 'num_experts_per_tok': 2 | num_local_experts 8",
                "'sliding_window': 1024 | sliding_window 1024",
                "'attention_chunk_size': 1024 | attention_chunk_size 1024",
                "'torch_dtype': 'float32' | float32",
                "'torch_dtype': 'bfloat16', 'dtype': 'float32' | torch_dtype is bfloat16",
                "'full_attention_interval': 4, 'layer_types': ['full_attention', 'full_attention', 'full_attention', 'full_attention'] | contradict"
            })
    void lowersTheConfidenceForContradictions(String members, String words) {
        ModelCard card = read(DENSE + ", " + members);
        assertThat(card.origin().confidence()).isEqualTo(Confidence.LOW);
        assertThat(card.origin().unmodelled()).singleElement().asString().contains(words);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'architectures': ['LlamaForCausalLM'], 'is_encoder_decoder': false, 'is_decoder': false",
                "'sliding_window': null, 'num_experts': 0",
                "'quantization_config': {'kv_cache_quant_algo': 'FP8'}",
                "'sliding_window': 1024, 'use_sliding_window': false",
                "'torch_dtype': 'bfloat16', 'dtype': 'torch.bfloat16'"
            })
    void trustsConsistentKeys(String members) {
        assertThat(read(DENSE + ", " + members).warnings()).isEmpty();
    }

    @Test
    void comparesValuesOutsideTheTextPart() {
        ModelCard card = read("'model_type': 'llava', 'hidden_size': 1234, 'text_config': {" + DENSE + "}");
        assertThat(card.origin().unmodelled()).singleElement().asString().contains("hidden_size is 1234");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'is_encoder_decoder': true",
                "'add_cross_attention': true",
                "'quantization_config': {'quant_method': 'bitsandbytes', 'load_in_8bit': true, 'load_in_4bit': true}"
            })
    void rejectsOtherModels(String member) {
        assertThatThrownBy(() -> read(DENSE + ", " + member)).isInstanceOf(StageException.class);
    }

    @ParameterizedTest
    @CsvSource({"yarn, 8192", "linear, 4096", "llama3, 4096"})
    void extendsTheContextByYarn(String type, int tokens) {
        ModelCard card = read(DENSE + ", 'rope_scaling': {'rope_type': '" + type
                + "', 'factor': 4.0, 'original_max_position_embeddings': 2048}");
        assertThat(card.maxPosition()).isEqualTo(tokens);
        assertThat(card.warnings()).isEmpty();
    }
}
