package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.api.Run;
import dev.stagesim.api.Stagesim;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.request.ConfigSnapshot;
import dev.stagesim.pipeline.request.JobComposer;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ModelFilesTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();
    private static final String DENSE = "{'model_type': 'qwen3', 'hidden_size': 1024, 'num_hidden_layers': 28,"
            + " 'num_attention_heads': 16, 'num_key_value_heads': 8, 'head_dim': 128, 'intermediate_size': 3072,"
            + " 'vocab_size': 151936, 'tie_word_embeddings': true, 'max_position_embeddings': 40960}";
    private static final String LATENT = "{'model_type': 'deepseek_v2', 'hidden_size': 2048, 'num_hidden_layers': 27,"
            + " 'num_attention_heads': 16, 'intermediate_size': 10944, 'vocab_size': 102400, 'n_routed_experts': 64,"
            + " 'num_experts_per_tok': 6, 'moe_intermediate_size': 1408, 'n_shared_experts': 2,"
            + " 'first_k_dense_replace': 1, 'kv_lora_rank': 512, 'qk_nope_head_dim': 128, 'qk_rope_head_dim': 64,"
            + " 'v_head_dim': 128}";
    private static final String GIVEN = "model.hf_config=mine/config.json";

    private final FileSystem memory = Jimfs.newFileSystem(Configuration.unix());
    private final Path work = memory.getPath("/work");
    private final Stagesim stagesim = Stagesim.open(HOME, work);

    @BeforeEach
    void write() throws IOException {
        write(DENSE);
    }

    @AfterEach
    void close() throws IOException {
        memory.close();
    }

    private void write(String json) throws IOException {
        Files.createDirectories(work.resolve("mine"));
        Files.writeString(work.resolve("mine/config.json"), json.replace('\'', '"'));
    }

    private LocatedJson model(String stage, String... words) {
        return Json.parse(stagesim.config(stage, words), "config").get("model");
    }

    @ParameterizedTest
    @ValueSource(strings = {"vidur_profile", "vidur_sim", "cluster_sim", "plan", "train_plan", "compare", "serve_mock"})
    void readsTheCardFromTheFileInEveryStage(String stage) {
        LocatedJson card = model(stage, GIVEN);
        assertThat(card.get("hidden_size").asInt()).isEqualTo(1024);
        assertThat(card.get("family").asString()).isEqualTo("qwen3");
        assertThat(card.get("name").asString()).isEqualTo("mine");
        assertThat(card.get("source").asString()).isEqualTo("config.json of mine");
        assertThat(card.has("notes") && !card.get("notes").isNull()).isFalse();
    }

    @Test
    void overridesSingleValuesOfTheFile() {
        LocatedJson card = model("vidur_sim", "model.weights=fp8", GIVEN, "model.name=org/mine", "model.num_layers=2");
        assertThat(card.get("weights").asString()).isEqualTo("fp8");
        assertThat(card.get("num_layers").asInt()).isEqualTo(2);
        assertThat(card.get("source").asString()).isEqualTo("config.json of org/mine");
        assertThat(card.get("ffn_dim").asInt()).isEqualTo(3072);
    }

    @Test
    void acceptsAFileInACardOfTheUser(@TempDir Path configs) throws IOException {
        Files.createDirectories(configs.resolve("model"));
        Files.writeString(
                configs.resolve("model/mine.conf"),
                "defaults = [qwen3, _self_]\nhf_config = \"${stage:name}\"\nweights = fp8");
        Files.writeString(
                configs.resolve("own.conf"),
                "defaults = [vidur_profile, {\"override model\" = mine}, _self_]\nmodel.num_layers = 3\nmodel.kv_cache = fp8");
        Files.writeString(work.resolve("vidur_profile"), LATENT.replace('\'', '"'));
        StageRegistry stages = StageRegistry.standard();
        ConfigEngine engine = ConfigEngine.open(
                List.of(new SearchRoot("own", configs), new SearchRoot("main", HOME.resolve("configs"))));
        JobComposer composer =
                new JobComposer(engine, stages.find("vidur_profile").orElseThrow(), "own", Path::toString, work);
        LocatedJson card = Json.parse(Json.compact(composer.request(List.of()).json()), "config")
                .get("model");
        assertThat(card.get("attention").asString()).isEqualTo("mla");
        assertThat(card.get("weights").asString()).as("of the same file").isEqualTo("fp8");
        assertThat(card.get("num_layers").asInt()).as("of a later file").isEqualTo(3);
        assertThat(card.get("kv_cache").asString()).isEqualTo("fp8");
        assertThat(card.get("qk_norm").asBool()).as("of an earlier file").isFalse();
    }

    @Test
    void recordsTheFileAsAnInput() throws IOException {
        Run first = stagesim.run("vidur_profile", GIVEN);
        LocatedJson meta = Json.read(first.dir().resolve("run_meta.json"));
        assertThat(meta.get("inputs").items())
                .singleElement()
                .satisfies(input -> assertThat(input.get("path").asString()).isEqualTo("/work/mine/config.json"));
        assertThat(meta.get("params").get("model").get("hf_config").asString()).startsWith("sha256:");
        assertThat(stagesim.run("vidur_profile", GIVEN).isReused()).isTrue();
        write(DENSE.replace("{", "{'transformers_version': '4.51.0', "));
        Run second = stagesim.run("vidur_profile", GIVEN);
        assertThat(second.id()).isNotEqualTo(first.id());
        assertThat(second.figures()).isEqualTo(first.figures());
    }

    @Test
    void repeatsTheRunFromItsSnapshot() throws IOException {
        Run run = stagesim.run("vidur_sim", GIVEN, "model.weights=fp8", "workload.num_requests=20");
        ConfigSnapshot.Snapshot kept = ConfigSnapshot.read(run.dir());
        LocatedJson card =
                Json.parse(Json.compact(kept.request().json()), "config").get("model");
        assertThat(card.get("hf_config").asString()).isEqualTo("/work/mine/config.json");
        assertThat(card.get("weights").asString()).isEqualTo("fp8");
        assertThat(card.get("hidden_size").asInt()).isEqualTo(1024);
    }

    @Test
    void rejectsFilesWithoutEffectOrWithoutAModel() throws IOException {
        Map<String, String> wrong = Map.of(
                "model=qwen3", "model=qwen3: has no effect: a file defines the card",
                "model.hf_config=none.json", "model.hf_config: no such file",
                "model.hf_config=mine", "model.hf_config: is a directory",
                "model.numlayers=3", "there is no key 'model.numlayers'",
                "model.num_kv_heads=3", "not a multiple of num_kv_heads 3");
        wrong.forEach((word, said) -> assertThatThrownBy(() -> stagesim.check("vidur_profile", GIVEN, word))
                .as(word)
                .isInstanceOf(StageException.class)
                .hasMessageContaining(said));
        for (String broken : List.of(
                "{",
                "[1]",
                "{'hidden_size': 'wide'}",
                DENSE.replace(": 16", ": 0"),
                DENSE.replace(": 8", ": 7"),
                LATENT.replace("'num_experts_per_tok': 6,", ""))) {
            write(broken);
            StageException error =
                    catchThrowableOfType(StageException.class, () -> stagesim.check("vidur_profile", GIVEN));
            assertThat(error).as(broken).isNotNull().hasMessageContaining("/work/mine/config.json");
            assertThat(error.kind()).isEqualTo(StageException.Kind.INPUT);
        }
        assertThat(work.resolve("tmp")).doesNotExist();
    }
}
