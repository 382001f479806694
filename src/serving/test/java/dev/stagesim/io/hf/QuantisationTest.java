package dev.stagesim.io.hf;

import static dev.stagesim.io.hf.ConfigFiles.DENSE;
import static dev.stagesim.io.hf.ConfigFiles.MIXTURE;
import static dev.stagesim.io.hf.ConfigFiles.read;
import static dev.stagesim.io.hf.ConfigFiles.shares;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.StageException;
import dev.stagesim.model.card.LayerGroup;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class QuantisationTest {
    private static ModelCard stored(String model, String section) {
        return read(model + ", 'quantization_config': {" + section + "}");
    }

    private static String group(String weights, String inputs) {
        return "'quant_method': 'compressed-tensors', 'config_groups': {'group_0': {'targets': ['Linear'], 'weights': {"
                + weights + "}, 'input_activations': " + inputs + "}}, 'ignore': ['lm_head']";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'quant_method': 'fp8' | FP8",
                "'quant_method': 'fp8', 'weight_block_size': [128, 128] | FP8_BLOCK",
                "'quant_method': 'fbgemm_fp8' | FP8",
                "'quant_method': 'gptq', 'bits': 4 | INT4",
                "'quant_method': 'gptq', 'bits': 8 | W8A16_INT8",
                "'quant_method': 'awq', 'bits': 4 | INT4",
                "'quant_method': 'awq', 'w_bit': 4 | INT4",
                "'quant_method': 'auto-round', 'bits': 4 | INT4",
                "'quant_method': 'bitsandbytes', 'load_in_4bit': true | NF4",
                "'quant_method': 'bitsandbytes', 'load_in_8bit': true | W8A16_INT8",
                "'quant_method': 'modelopt', 'quant_algo': 'FP8' | FP8",
                "'quant_method': 'modelopt', 'quant_algo': 'NVFP4' | NVFP4",
                "'quant_algo': 'W4A16_AWQ' | INT4",
                "'quant_algo': 'W4A8_AWQ' | W4A8",
                "'quant_algo': 'INT8_SQ' | INT8",
                "'quant_method': 'torchao', 'quant_type': {'default': {'_type': 'Int4WeightOnlyConfig'}} | INT4",
                "'quant_method': 'torchao', 'quant_type': 'float8_dynamic_activation_float8_weight' | FP8",
                "'quant_method': 'quark', 'global_quant_config': {'weight': {'dtype': 'fp4', 'group_size': 32}} | MXFP4",
                "'quant_method': 'quark', 'global_quant_config': {'weight': {'dtype': 'fp8_e4m3'}, 'input_tensors': {}} | FP8",
                "'quant_method': 'hqq', 'quant_config': {'weight_quant_params': {'nbits': 8}} | W8A16_INT8",
            })
    void readsMethodsInEverySpelling(String section, Precision expected) {
        ModelCard card = stored(DENSE, section);
        assertThat(card.formats().weights()).isEqualTo(expected);
        assertThat(shares(card, LayerGroup.ATTENTION)).isEqualTo(Map.of(expected, 1.0));
        assertThat(shares(card, LayerGroup.DENSE)).isEqualTo(Map.of(expected, 1.0));
        assertThat(shares(card, LayerGroup.HEAD)).isEqualTo(Map.of(Precision.BF16, 1.0));
        assertThat(card.warnings()).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'num_bits': 8, 'type': 'float' | {'num_bits': 8, 'type': 'float'} | FP8",
                "'num_bits': 8, 'type': 'float', 'strategy': 'block' | {'num_bits': 8} | FP8_BLOCK",
                "'num_bits': 8, 'type': 'float' | null | W8A16_FP8",
                "'num_bits': 8, 'type': 'int' | {'num_bits': 8} | INT8",
                "'num_bits': 8, 'type': 'int' | null | W8A16_INT8",
                "'num_bits': 4, 'type': 'int', 'group_size': 128 | null | INT4",
                "'num_bits': 4, 'type': 'int' | {'num_bits': 8} | W4A8",
                "'num_bits': 4, 'type': 'float', 'group_size': 16 | {'num_bits': 4} | NVFP4",
                "'num_bits': 4, 'type': 'float', 'group_size': 16 | null | W4A16_NVFP4",
                "'num_bits': 4, 'type': 'float', 'group_size': 32 | null | MXFP4",
            })
    void readsSchemesOfCompressedTensors(String weights, String inputs, Precision expected) {
        assertThat(stored(DENSE, group(weights, inputs)).formats().weights()).isEqualTo(expected);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "'quant_method': 'aqlm'",
                "'quant_method': 'bitnet'",
                "'quant_method': 'gptq', 'bits': 3",
                "'quant_method': 'gptq'",
                "'quant_algo': 'FP12'",
                "'quant_algo': 'MIXED_PRECISION'",
                "'quant_method': 'bitsandbytes'",
                "'quant_method': 'torchao', 'quant_type': 'uintx'",
                "'quant_method': 'quark', 'global_quant_config': {'weight': {'dtype': 'int3'}}",
                "'quant_method': 'compressed-tensors', 'config_groups': {'g': {'weights': {'num_bits': 2, 'type': 'int'}}}",
                "'unknown': 1"
            })
    void rejectsUnknownEncodings(String section) {
        assertThatThrownBy(() -> stored(DENSE, section))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("config.json:1#/quantization_config");
    }

    @Test
    void readsTheQuantizationFile() {
        ModelCard card = read(
                "org/model",
                DENSE,
                "{'producer': {'name': 'modelopt'}, 'quantization': {'quant_algo': 'NVFP4', 'kv_cache_quant_algo': 'FP8',"
                        + " 'exclude_modules': ['lm_head', 'model.layers.0.self_attn*', 'model.layers.1*']}}");
        assertThat(card.formats().weights()).isEqualTo(Precision.NVFP4);
        assertThat(card.formats().kvCache()).isEqualTo(Precision.FP8);
        assertThat(shares(card, LayerGroup.ATTENTION)).isEqualTo(Map.of(Precision.BF16, 0.5, Precision.NVFP4, 0.5));
        assertThat(shares(card, LayerGroup.DENSE)).isEqualTo(Map.of(Precision.BF16, 0.25, Precision.NVFP4, 0.75));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'kv_cache_scheme': {'num_bits': 8, 'type': 'float'} | FP8",
                "'kv_cache_scheme': {'num_bits': 8, 'type': 'int'} | INT8",
                "'kv_cache_scheme': null | BF16",
                "'kv_cache_quant_algo': 'FP8' | FP8",
                "'kv_cache_quant_algo': 'NVFP4' | NVFP4",
                "'kv_cache_scheme': 'FP8' | FP8",
            })
    void readsTheEncodingOfTheCache(String scheme, Precision expected) {
        assertThat(stored(DENSE, "'quant_method': 'fp8', " + scheme).formats().kvCache())
                .isEqualTo(expected);
    }

    @Test
    void matchesPatternsLikeTheirLibraries() {
        ModelCard card = stored(
                MIXTURE,
                "'quant_method': 'compressed-tensors', 'config_groups': {'group_0': {'targets': ['Linear'], 'weights':"
                        + " {'num_bits': 4, 'type': 'int', 'group_size': 32}}}, 'ignore': ['lm_head', 're:.*self_attn.*',"
                        + " 're:.*shared_experts.*', 're:.*mlp\\\\.(gate|up|gate_up|down)_proj.*']");
        assertThat(shares(card, LayerGroup.EXPERTS)).isEqualTo(Map.of(Precision.INT4, 1.0));
        assertThat(shares(card, LayerGroup.ATTENTION)).isEqualTo(Map.of(Precision.BF16, 1.0));
        assertThat(shares(card, LayerGroup.DENSE)).isEqualTo(Map.of(Precision.BF16, 1.0));
        assertThat(shares(card, LayerGroup.SHARED_EXPERTS)).isEqualTo(Map.of(Precision.BF16, 1.0));
    }

    @Test
    void sumsLayersOfMixedPrecision() {
        ModelCard card = stored(
                MIXTURE,
                "'quant_algo': 'MIXED_PRECISION', 'quantized_layers': {"
                        + "'model.layers.1.mlp.experts.0.gate_proj': {'quant_algo': 'NVFP4'},"
                        + "'model.layers.1.mlp.experts.1.gate_proj': {'quant_algo': 'NVFP4'},"
                        + "'model.layers.2.mlp.experts': {'quant_algo': 'FP8'},"
                        + "'model.layers.0.self_attn.q_proj': {'quant_algo': 'FP8'}, 'lm_head': {'quant_algo': 'NVFP4'}}");
        Map<Precision, Double> experts = shares(card, LayerGroup.EXPERTS);
        assertThat(experts.get(Precision.NVFP4)).isCloseTo(1 / 9.0, within(1e-9));
        assertThat(experts.get(Precision.FP8)).isCloseTo(1 / 3.0, within(1e-9));
        assertThat(shares(card, LayerGroup.HEAD)).isEqualTo(Map.of(Precision.NVFP4, 1.0));
        assertThat(shares(card, LayerGroup.ATTENTION).get(Precision.FP8)).isCloseTo(0.1, within(1e-9));
    }

    @Test
    void readsTheTypeOfExperts() {
        ModelCard card = read(
                MIXTURE + ", 'expert_dtype': 'fp4', 'quantization_config': {'quant_method': 'fp8', 'weight_block_size':"
                        + " [128, 128]}");
        assertThat(card.formats().weights()).isEqualTo(Precision.FP8_BLOCK);
        assertThat(card.expertPrecision()).isEqualTo(Precision.MXFP4);
    }

    @Test
    void excludesMultiTokenPredictionLayers() {
        ModelCard card = stored(
                DENSE, "'quant_method': 'modelopt', 'quant_algo': 'FP8', 'exclude_modules': ['mtp.layers.0*', 'mtp*']");
        assertThat(shares(card, LayerGroup.DENSE)).isEqualTo(Map.of(Precision.FP8, 1.0));
    }

    @Test
    void computesBytesByGroup() {
        ModelCard plain = read(MIXTURE);
        ModelCard card = stored(MIXTURE, "'quant_method': 'mxfp4'");
        long experts = 3L * 8 * 3 * 512 * 256;
        assertThat(card.size().parameters()).isEqualTo(plain.size().parameters());
        assertThat(card.size().weightBytes())
                .isEqualTo(plain.size().weightBytes() - Math.round((2 - Precision.MXFP4.bytes()) * experts));
    }
}
