package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import dev.stagesim.model.Problem;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.DeviceArchitecture;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineFormats.Support;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EngineFormatsTest {
    private static final List<String> ENGINES = List.of("vllm", "sglang", "trtllm", "trtllm_engine");

    /** A device of each architecture that has a card. */
    private static final Map<DeviceArchitecture, String> DEVICES = Map.of(
            DeviceArchitecture.VOLTA, "v100",
            DeviceArchitecture.AMPERE, "a100",
            DeviceArchitecture.ADA, "l40s",
            DeviceArchitecture.HOPPER, "h100",
            DeviceArchitecture.BLACKWELL, "b200",
            DeviceArchitecture.BLACKWELL_GDDR, "rtx_pro_6000_server",
            DeviceArchitecture.CDNA2, "mi250x",
            DeviceArchitecture.CDNA3, "mi300x",
            DeviceArchitecture.CDNA4, "mi355x");

    private static List<String> problems(
            String engine, String device, String model, Precision weights, Precision cache) {
        ModelCard card = CardFiles.model(model);
        return new EngineFormats(engine, CardFiles.hardware(device))
                .problems(card.stored(weights, weights, cache)).stream()
                        .map(Problem::render)
                        .toList();
    }

    /** Products run in a format only where the device multiplies it, and every other format is unpacked or refused. */
    @Test
    void agreesWithTheRatesOfEveryDevice() {
        DEVICES.forEach((architecture, option) -> {
            HardwareCard device = CardFiles.hardware(option);
            assertThat(device.device().architecture()).isEqualTo(architecture);
            for (String engine : ENGINES) {
                EngineFormats formats = new EngineFormats(engine, device);
                for (Precision format : Precision.values()) {
                    String pair = engine + " " + option + " " + format;
                    Support support = formats.weights(format);
                    boolean isOwnRate = device.productRate(format) == format.rate();
                    if (support == Support.NATIVE) {
                        assertThat(isOwnRate).as(pair).isTrue();
                    } else if (support == Support.WEIGHT_ONLY && format != Precision.MXFP4) {
                        assertThat(isOwnRate).as(pair).isFalse();
                    }
                    boolean isTaken = support == Support.NATIVE || support == Support.WEIGHT_ONLY;
                    assertThat(problems(engine, option, "mixtral_8x7b", format, Precision.BF16))
                            .as(pair)
                            .hasSize(isTaken ? 0 : 1);
                    assertThat(problems(engine, option, "llama3_8b", Precision.BF16, format))
                            .as(pair)
                            .hasSize(formats.cache(format) == Support.NATIVE ? 0 : 1);
                }
            }
        });
    }

    @ParameterizedTest
    @CsvSource({
        "vllm, a100, INT8, NATIVE",
        "vllm, a100, FP8, WEIGHT_ONLY",
        "sglang, a100, FP8, WEIGHT_ONLY",
        "trtllm, a100, FP8, NONE",
        "trtllm, a100, INT8, NONE",
        "trtllm_engine, a100, INT8, NATIVE",
        "trtllm_engine, a100, INT4, NATIVE",
        "vllm, b200, INT8, NONE",
        "vllm, mi355x, NVFP4, EMULATED",
        "sglang, mi300x, NVFP4, DENSE_ONLY",
        "sglang, mi355x, NVFP4, NONE",
        "vllm, mi355x, MXFP4, NATIVE",
        "vllm, h100, NVFP4, WEIGHT_ONLY",
        "trtllm, h100, NVFP4, NONE",
        "trtllm, h100, MXFP4, WEIGHT_ONLY",
        "vllm, vr200, NVFP4, NATIVE"
    })
    void readsTheTable(String engine, String device, Precision format, Support expected) {
        assertThat(new EngineFormats(engine, CardFiles.hardware(device)).weights(format))
                .isEqualTo(expected);
    }

    @Test
    void namesTheFormatsThatTheEngineHas() {
        assertThat(problems("vllm", "mi355x", "llama3_8b", Precision.NVFP4, Precision.BF16))
                .singleElement()
                .asString()
                .contains("model.weights: is nvfp4, which vLLM only emulates on MI355X (CDNA4)", "use bf16, fp8,")
                .contains("mxfp4")
                .doesNotContain(", nvfp4", "or nvfp4");
        assertThat(problems("sglang", "mi300x", "llama3_8b", Precision.NVFP4, Precision.BF16))
                .isEmpty();
        assertThat(problems("sglang", "mi300x", "mixtral_8x7b", Precision.NVFP4, Precision.BF16))
                .singleElement()
                .asString()
                .contains("no kernels for such experts on MI300X");
        assertThat(problems("trtllm", "b200", "llama3_8b", Precision.FP8, Precision.INT4))
                .singleElement()
                .asString()
                .contains("model.kv_cache: is int4, and TensorRT-LLM has no KV cache", "use bf16, fp8 or nvfp4");
        assertThat(problems("vllm", "h200", "deepseek_v3", Precision.FP8_BLOCK, Precision.INT8))
                .singleElement()
                .asString()
                .contains("latent attention", "use fp8 or bf16");
    }

    @Test
    void warnsOfExpertsThatAreUnpackedOnDevicesWithTheirRate() {
        ModelCard model = CardFiles.model("gpt_oss_20b");
        assertThat(new EngineFormats("vllm", CardFiles.hardware("rtx_pro_6000_server")).warning(model))
                .hasValueSatisfying(warning -> assertThat(warning).contains("unpacks mxfp4 experts"));
        for (String device : List.of("b200", "h100")) {
            assertThat(new EngineFormats("vllm", CardFiles.hardware(device)).warning(model))
                    .isEmpty();
        }
    }

    /** Scales of vLLM's integer caches have 4 bytes for each token, head, and keys or values. */
    @Test
    void countsTheScalesOfCaches() {
        ModelCard model = CardFiles.model("llama3_8b");
        double values = 32 * 2 * 8 * 128;
        Map.of(Precision.BF16, 2.0, Precision.FP8, 1.0, Precision.INT8, 1 + 4.0 / 128, Precision.INT4, 0.5 + 4.0 / 128)
                .forEach((format, bytes) -> assertThat(model.stored(Precision.BF16, Precision.BF16, format)
                                .size()
                                .kvBytesPerToken())
                        .isCloseTo((long) (values * bytes), within(1L)));
    }

    @Test
    void isDocumented() throws IOException {
        String page = Files.readString(Path.of(System.getProperty("stagesim.home", "."), "specs/step-times.md"));
        assertThat(Stream.of(EngineFormats.WEIGHTS, EngineFormats.CACHES).flatMap(String::lines))
                .allSatisfy(line -> assertThat(page).contains("    " + line + "\n"));
    }
}
