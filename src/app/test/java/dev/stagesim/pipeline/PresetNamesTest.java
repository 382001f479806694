package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.RunRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

final class PresetNamesTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final ConfigEngine ENGINE =
            ConfigEngine.open(List.of(new SearchRoot("main", HOME.resolve("configs"))));

    private static final String CONFIG = "{'model_type': 'qwen3', 'hidden_size': 1024, 'num_hidden_layers': 28,"
            + " 'num_attention_heads': 16, 'num_key_value_heads': 8, 'head_dim': 128, 'intermediate_size': 3072,"
            + " 'vocab_size': 151936, 'tie_word_embeddings': true, 'max_position_embeddings': 40960}";

    @TempDir
    Path work;

    private JobComposer composer(String stage) {
        return new JobComposer(ENGINE, StageRegistry.standard().find(stage).orElseThrow(), stage, Path::toString, work);
    }

    private RunRequest request(String stage, String... words) {
        return composer(stage).request(List.of(words));
    }

    private static String name(String section, RunRequest request) {
        return Json.parse(Json.pretty(request.json()), "config")
                .get(section)
                .get("name")
                .asString();
    }

    @ParameterizedTest
    @CsvSource({
        "model=Qwen/Qwen3-32B, model=qwen_qwen3_32b",
        "model=qwen/qwen3-32b, model=qwen_qwen3_32b",
        "model='Qwen/Qwen3-32B', model=qwen_qwen3_32b",
        "model=Llama-3.1-8B, model=llama3_1_8b",
        "model=meta-llama/Llama-3.3-70B-Instruct, model=meta_llama_llama_3_3_70b_instruct",
        "model=qwen3, model=qwen3",
        "hardware=H100-SXM5-80GB, hardware=h100_sxm_80gb",
        "hardware=NVIDIA H100 80GB HBM3, hardware=h100_sxm_80gb",
        "hardware=NVIDIA H100 PCIe, hardware=h100_pcie",
        "hardware=NVIDIA H100 NVL, hardware=h100_nvl",
        "hardware=NVIDIA H200, hardware=h200",
        "hardware=NVIDIA A100-SXM4-80GB, hardware=a100_sxm_80gb",
        "hardware=NVIDIA A100 80GB PCIe, hardware=a100_pcie_80gb",
        "hardware=Tesla V100-SXM2-32GB, hardware=v100_sxm2_32gb",
        "hardware=NVIDIA RTX 6000 Ada Generation, hardware=rtx_6000_ada",
        "hardware=NVIDIA GeForce RTX 4090, hardware=rtx_4090",
        "hardware=NVIDIA RTX PRO 6000 Blackwell Server Edition, hardware=rtx_pro_6000_server",
        "hardware=AMD Instinct MI300X, hardware=mi300x",
        "hardware=b200-180gb, hardware=b200_sxm_180gb",
        "engine=vllm, engine=vllm_v1",
        "engine=vLLM, engine=vllm_v1",
        "engine=SGLang, engine=sglang",
        "engine=TensorRT-LLM, engine=trtllm",
        "engine=trt-llm, engine=trtllm",
        "hardware=rtx4090, hardware=rtx_4090",
        "hardware=GeForce RTX4090, hardware=rtx_4090",
        "engine=vllm_v0, engine=vllm_v0",
    })
    void replacesNamesOfVendors(String word, String override) {
        assertThat(request("vidur_sim", word).overrides()).containsExactly(override);
    }

    /** A short form of one preset, and a system that is named with its devices, are accepted with a notice. */
    @ParameterizedTest
    @CsvSource({
        "model=qwen3_235b, model=qwen3_235b_a22b",
        "model=Llama-3.1-70B-Instruct, model=meta_llama_llama_3_1_70b_instruct",
        "hardware=dgx_h100, hardware=h100",
        "hardware=HGX-B200, hardware=b200",
        "hardware=8xh100, hardware=h100",
        "hardware=8x NVIDIA H200, hardware=h200",
        "hardware=h100x8, hardware=h100",
        "hardware=h100_8x, hardware=h100",
    })
    void readsShortFormsWithANotice(String word, String override) {
        JobComposer composer = composer("vidur_sim");
        List<String> notices = new ArrayList<>();
        RunRequest request = composer.request(composer.compose(List.of(word)), List.of(word), notices::add);
        assertThat(request.overrides()).containsExactly(override);
        assertThat(notices).singleElement().asString().startsWith(word + " is read as " + override);
        composer.request(List.of("hardware=h200"), notices::add);
        assertThat(notices).as("without a short form").hasSize(1);
    }

    @ParameterizedTest
    @CsvSource({
        "vidur_sim, model.weights=awq, model.weights=int4",
        "vidur_sim, model.weights=GPTQ, model.weights=int4",
        "vidur_sim, model.expert_weights=w4a16, model.expert_weights=int4",
        "vidur_sim, model.weights=int8-w8a8, model.weights=int8",
        "vidur_sim, model.weights=half, model.weights=bf16",
        "vidur_sim, model.kv_cache=fp8_e4m3, model.kv_cache=fp8",
        "plan, 'search.weights=[bfloat16,fp8]', 'search.weights=[bf16,fp8]'",
    })
    void readsNamesOfPrecisionsWithANotice(String stage, String word, String override) {
        JobComposer composer = composer(stage);
        List<String> notices = new ArrayList<>();
        assertThat(composer.request(composer.compose(List.of(word)), List.of(word), notices::add)
                        .overrides())
                .containsExactly(override);
        assertThat(notices).singleElement().asString().contains(" is read as ");
    }

    @ParameterizedTest
    @CsvSource({
        "model.weights=q4, 'did you mean  int4, q4_k_m, nf4'",
        "model.weights=w8a8, 'did you mean  int8, fp8'",
        "model.weights=mxfp4_moe, 'did you mean  mxfp4'",
        "model.kv_cache=auto, 'did you mean  bf16, fp8'",
    })
    void rejectsNamesOfSeveralPrecisions(String word, String suggestion) {
        assertThatThrownBy(() -> request("vidur_sim", word))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("'" + word + "' does not name one precision")
                .hasMessageContaining(suggestion);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "model=mixtral",
                "model=70b",
                "model=llama3_7",
                "hardware=dgx_z100",
                "hardware=8x",
                "hardware=4xmi300"
            })
    void rejectsAmbiguousShortForms(String word) {
        assertThatThrownBy(() -> request("vidur_sim", word))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("unknown option of group");
    }

    /** An unknown model has the ways to describe it, and only presets with similar names. */
    @Test
    void unknownModelsNameTheWaysToDescribeThem() {
        assertThatThrownBy(() -> request("vidur_sim", "model=Qwen/Qwen3-33B"))
                .hasMessageContainingAll("qwen_qwen3_32b", "model=path/config.json", "stage model import config.json")
                .hasMessageNotContaining("baai_aquila");
    }

    @Test
    void findsEveryModelByItsPublishedName() throws IOException {
        List<String> wrong = new ArrayList<>();
        try (Stream<Path> files = Files.list(HOME.resolve("configs/model"))) {
            for (Path file : files.toList()) {
                for (String line : Files.readAllLines(file)) {
                    if (line.startsWith("name = \"") && line.contains("/") && !line.contains("stagesim/")) {
                        String name = line.substring(line.indexOf('"') + 1, line.lastIndexOf('"'));
                        String option = name.toLowerCase(Locale.ROOT).replaceAll("[^a-z0-9]+", "_");
                        if (!ENGINE.options("model").contains(option)) {
                            wrong.add(name);
                        }
                    }
                }
            }
        }
        assertThat(wrong).isEmpty();
    }

    @Test
    void findsEveryDeviceByItsPublishedName() throws IOException {
        try (Stream<Path> files = Files.list(HOME.resolve("configs/hardware"))) {
            for (Path file : files.toList()) {
                for (String line : Files.readAllLines(file)) {
                    if (line.startsWith("name = \"") && !line.contains("$")) {
                        String name = line.substring(line.indexOf('"') + 1, line.lastIndexOf('"'));
                        assertThat(name("hardware", request("vidur_profile", "hardware=" + name)))
                                .isEqualTo(name);
                    }
                }
            }
        }
    }

    @Test
    void rejectsNamesOfSeveralDevices() {
        assertThatThrownBy(() -> request("vidur_sim", "hardware=h100-80gb"))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("hardware=h100-80gb", "2 devices", "h100_pcie_80gb", "h100_sxm_80gb");
    }

    @ParameterizedTest
    @ValueSource(strings = {"mine", "./mine", "mine/", "mine/config.json", "/absolute"})
    void readsModelFolders(String path) throws IOException {
        Path folder = Files.createDirectories(work.resolve("mine"));
        Files.writeString(folder.resolve("config.json"), CONFIG.replace('\'', '"'));
        String given = path.startsWith("/")
                ? folder.toString()
                : path.equals("mine") ? "../" + work.getFileName() + "/mine" : path;
        assertThat(name("model", request("cluster_sim", "model=" + given))).isEqualTo("mine");
    }

    @Test
    void hasTheIdentityOfThePreset() {
        assertThat(request("vidur_sim", "model=Qwen/Qwen3-32B", "hardware=H100-SXM5-80GB", "engine=vllm")
                        .json())
                .isEqualTo(request("vidur_sim", "model=qwen3_32b", "hardware=h100", "engine=vllm_v1")
                        .json());
    }

    @Test
    void replacesEnginesOfPoolsAndSearches() {
        assertThat(request("cluster_sim", "cluster.pools.prefill.engine=vllm").overrides())
                .containsExactly("cluster.pools.prefill.engine=vllm_v1");
        assertThat(request("plan", "search.engines=[vllm,sglang]").overrides())
                .containsExactly("search.engines=[vllm_v1,sglang]");
    }

    @Test
    void unknownPublishedNamesNameTheFileToDownload() {
        assertThatThrownBy(() -> request("vidur_sim", "model=Qwen/Qwen3-33B"))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("Qwen/Qwen3-33B", "model=path/config.json", "qwen_qwen3_32b");
    }

    @ParameterizedTest
    @CsvSource({
        "vidur_sim, arrival.qps=5, hardware=a100 (A100-SXM-80GB) is the default",
        "vidur_sim, hardware=h100,",
        "cluster_sim, hardware.mem_gb=70, hardware=a100 (A100-SXM-80GB) is the default",
        "real_bench, bench=tf,"
    })
    void namesTheDefaultDevice(String stage, String word, String note) {
        List<String> notes = new ArrayList<>();
        composer(stage).noting(notes::add).request(List.of(word));
        composer(stage).noting(notes::add).request(List.of(word));
        assertThat(notes.stream().distinct().toList())
                .isEqualTo(Stream.ofNullable(note).toList());
    }

    /** A result file that names its model needs no other model; a chosen model remains. */
    @Test
    void takesTheModelFromAMeasuredFile() throws IOException {
        Path file = Files.copy(HOME.resolve("tests-data/measured/vllm.json"), work.resolve("vllm.json"));
        List<String> notices = new ArrayList<>();
        JobComposer composer = composer("compare").noting(notices::add);
        List<String> words = List.of("real.file=" + file);
        RunRequest request = composer.request(words);
        assertThat(request.overrides()).hasSize(2).last().asString().startsWith("model=");
        assertThat(notices)
                .hasSize(2)
                .anyMatch(text -> text.endsWith("is the model that real.file names"))
                .contains("hardware=a100 (A100-SXM-80GB) is assumed: real.file does not name the device");
        assertThat(request("compare", "real.file=" + file, "model=llama3_70b").overrides())
                .hasSize(2)
                .contains("model=llama3_70b");
        Files.delete(file);
        assertThat(composer.request(words).overrides())
                .as("one composer reads the file once")
                .isEqualTo(request.overrides());
    }

    /** All engines accept that drafts are disabled, also those without speculative decoding. */
    @ParameterizedTest
    @ValueSource(strings = {"vllm_v1", "sglang", "trtllm", "vllm_v0"})
    void everyEngineRunsWithoutDrafts(String engine) {
        String off = "scheduler.speculative.method=none";
        assertThat(request("vidur_sim", "engine=" + engine, off).json()).isNotNull();
    }

    /** A list of cards would be merged into one card; the error has the sweep that runs each of them. */
    @ParameterizedTest
    @CsvSource({
        "'hardware=[h100,h200]', '-m hardware=h100,h200'",
        "'model=[llama3_8b, qwen3]', '-m model=llama3_8b,qwen3'",
        "'cluster=[pd_1_1,pd_2_2]', '-m cluster=pd_1_1,pd_2_2'",
    })
    void refusesListsOfCards(String word, String sweep) {
        assertThatThrownBy(() -> request("cluster_sim", word))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("is a list, but a run has one", sweep);
    }

    @Test
    void draftsOfAnEngineWithoutThemNameTheEnginesThatHaveThem() {
        assertThatThrownBy(() -> request("vidur_sim", "engine=sglang", "scheduler.speculative.method=eagle"))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("scheduler.kind is sglang", "engine=trtllm", "speculative=none");
    }

    /** The preset's limit of 4,096 tokens would end chosen sessions early. */
    @Test
    void sessionsMayHaveTheContextOfTheModel() {
        List<String> notices = new ArrayList<>();
        List<String> words = List.of("model=llama3_1_8b", "hardware=h100", "workload.sharing.kind=sessions");
        RunRequest request = composer("vidur_sim").noting(notices::add).request(words);
        assertThat(Json.pretty(request.json())).contains("\"max_tokens\": 131072");
        assertThat(notices).singleElement().asString().contains("131072", "max_model_len=");
        assertThat(Json.pretty(request("vidur_sim", words.get(0), words.get(2), "workload.max_tokens=5000")
                        .json()))
                .contains("\"max_tokens\": 5000");
    }

    @ParameterizedTest
    @CsvSource({"model=nothing/of-it, model", "hardware=nvidia, hardware", "engine=x, engine", "model=, model"})
    void reportsUnknownNamesAsTyped(String word, String group) {
        assertThatThrownBy(() -> request("vidur_sim", word))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(group);
    }
}
