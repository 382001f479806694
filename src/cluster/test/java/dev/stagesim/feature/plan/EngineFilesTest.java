package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.JsonSchemaCheck;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.yaml.Yaml;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.sim.serving.settings.Speculation;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class EngineFilesTest {
    private static Map<String, String> files(String engine, String hardware, int tp, Precision weights, Precision kv) {
        PlanSettings.Search any = Plans.search(List.of(tp), List.of(weights), List.of(256), List.of(2048));
        PlanSettings settings = Plans.settings("llama3_70b", hardware, 8, "ttft_p99_ms<500", any, engine);
        Shape shape = new Shape(engine, CardFiles.engine(engine), tp, 1, weights, weights, kv);
        return new EngineFiles(settings, new EngineChoice(shape, 256, 2048), 3, 1500).all();
    }

    @Test
    void writesFlagsOfVllm() {
        assertThat(files("vllm_v1", "h100", 4, Precision.FP8, Precision.FP8).get("command.sh"))
                .isEqualTo(
                        """
                        #!/bin/sh
                        # One of 3 copies: tp 4, FP8 weights, FP8 KV cache on 4 × H100-SXM-80GB.
                        vllm serve meta-llama/Meta-Llama-3-70B \\
                          --tensor-parallel-size 4 \\
                          --pipeline-parallel-size 1 \\
                          --max-num-seqs 256 \\
                          --max-num-batched-tokens 2048 \\
                          --max-model-len 2048 \\
                          --gpu-memory-utilization 0.92 \\
                          --quantization fp8_per_tensor \\
                          --kv-cache-dtype fp8 \\
                          --port 8000
                        """);
        assertThat(files("vllm_v1", "h100", 4, Precision.BF16, Precision.BF16).get("command.sh"))
                .doesNotContain("--quantization", "--kv-cache-dtype", "ray");
    }

    @Test
    void writesFlagsOfDrafts() {
        PlanSettings.Search any = Plans.search(List.of(8), List.of(Precision.FP8), List.of(256), List.of(2048));
        for (Speculation.Method method : List.of(Speculation.Method.MTP, Speculation.Method.EAGLE3)) {
            boolean isMtp = method == Speculation.Method.MTP;
            for (String engine : List.of("vllm_v1", "trtllm")) {
                PlanSettings settings = Plans.settings("deepseek_v3", "h200", 8, "ttft_p99_ms<500", any, engine);
                Shape shape = new Shape(
                        engine,
                        CardFiles.engine(engine),
                        8,
                        1,
                        Precision.FP8_BLOCK,
                        Precision.FP8_BLOCK,
                        Precision.BF16,
                        EngineChoice.ExpertLayout.NONE,
                        new EngineChoice.Drafting(method, 3, List.of()));
                Map<String, String> files =
                        new EngineFiles(settings, new EngineChoice(shape, 256, 2048), 1, 1500).all();
                assertThat(files.get(engine.equals("trtllm") ? "extra_llm_api_options.yaml" : "command.sh"))
                        .contains(
                                engine.equals("trtllm")
                                        ? "speculative_config:\n  decoding_type: " + (isMtp ? "MTP" : "Eagle3") + "\n"
                                        : isMtp
                                                ? "--speculative-config '{\"method\":\"mtp\",\"num_speculative_tokens\":3}'"
                                                : "'{\"method\":\"eagle3\",\"model\":\"EAGLE-HEAD\",\"num_speculative_tokens\":3}'");
            }
        }
    }

    @Test
    void writesFlagsOfSglang() {
        assertThat(files("sglang", "h100", 4, Precision.FP8, Precision.FP8).get("command.sh"))
                .contains(
                        "python3 -m sglang.launch_server --model-path meta-llama/Meta-Llama-3-70B",
                        "--tp-size 4",
                        "--max-running-requests 256",
                        "--chunked-prefill-size 2048",
                        "--max-prefill-tokens 2048",
                        "--context-length 2048",
                        "--mem-fraction-static 0.875",
                        "--quantization fp8",
                        "--kv-cache-dtype fp8_e4m3");
    }

    @Test
    void writesFlagsAndOptionsOfTensorRt() {
        Map<String, String> files = files("trtllm", "h100", 4, Precision.FP8, Precision.FP8);
        assertThat(files.get("command.sh"))
                .contains(
                        "# Requires a checkpoint with FP8 weights",
                        "trtllm-serve \"${CHECKPOINT:?a checkpoint with FP8 weights}\"",
                        "--tp_size 4",
                        "--max_batch_size 256",
                        "--max_num_tokens 2048",
                        "--max_seq_len 2048",
                        "--kv_cache_free_gpu_memory_fraction 0.9",
                        "--extra_llm_api_options extra_llm_api_options.yaml");
        assertThat(files.get("extra_llm_api_options.yaml")).contains("enable_chunked_prefill: true", "  dtype: fp8");
    }

    @ParameterizedTest
    @CsvSource({
        "vllm_v1, NVFP4, --kv-cache-dtype nvfp4",
        "vllm_v1, INT8, --kv-cache-dtype int8_per_token_head",
        "vllm_v1, INT4, --kv-cache-dtype int4_per_token_head",
        "sglang, NVFP4, --kv-cache-dtype fp4_e2m1",
        "sglang, INT8, --int8-kv-cache",
        "trtllm, NVFP4, 'dtype: nvfp4'",
        "trtllm, BF16, 'dtype: auto'"
    })
    void namesTheFormatOfTheCache(String engine, Precision cache, String expected) {
        assertThat(files(engine, "b200", 4, Precision.FP8, cache).values()).anyMatch(text -> text.contains(expected));
    }

    @Test
    void runsAllCopiesFromTheManifest() {
        String manifest =
                files("trtllm", "h100", 4, Precision.FP8, Precision.FP8).get("kubernetes.yaml");
        assertThat(manifest).contains("replicas: 3", "nvidia.com/gpu: 4", "trtllm-serve");
        for (String document : manifest.split("---\n", -1)) {
            assertThat(Yaml.parse(document, "manifest")).isNotNull();
        }
        Map<String, String> two = files("vllm_v1", "h100", 16, Precision.BF16, Precision.BF16);
        assertThat(two).doesNotContainKey("kubernetes.yaml");
        assertThat(two.get("command.sh")).contains("spans 2 nodes", "ray start", "--distributed-executor-backend ray");
        assertThat(files("sglang", "gb200", 8, Precision.BF16, Precision.BF16).get("command.sh"))
                .contains("--nnodes 2 --node-rank ${NODE_RANK}");
        assertThat(files("vllm_v1", "mi300x", 4, Precision.BF16, Precision.BF16).get("kubernetes.yaml"))
                .contains("amd.com/gpu: 4", "vllm/vllm-openai-rocm:v0.");
    }

    @Test
    void claimsSpaceForTheDownloadedCheckpoint() {
        for (String engine : List.of("vllm_v1", "sglang")) { // 141 GB in BF16, which both engines convert
            assertThat(files(engine, "h100", 4, Precision.FP8, Precision.FP8).get("kubernetes.yaml"))
                    .contains("storage: \"171Gi\"");
        }
        assertThat(files("trtllm", "h100", 4, Precision.FP8, Precision.FP8).get("kubernetes.yaml"))
                .contains("storage: \"88Gi\"");
    }

    /** Values with a special meaning in a shell or in YAML. */
    private static final List<String> HOSTILE = List.of(
            "$(touch PWNED)",
            "`touch PWNED`",
            "a b",
            "it's \"x\"",
            "a\nkind: Secret\ntouch PWNED",
            "a; touch PWNED #",
            "a & touch PWNED",
            "--port=1",
            "a\\",
            "é模型",
            "$HOME",
            "*",
            "~",
            "a\r\ntouch PWNED");

    @Test
    void escapesHostileNamesInScriptAndManifest(@TempDir Path dir) throws Exception {
        for (String program : List.of("vllm", "python3", "trtllm-serve")) {
            Path stub = Files.writeString(dir.resolve(program), "#!/bin/bash\nprintf '%s\\0' \"$@\"\n");
            Files.setPosixFilePermissions(stub, PosixFilePermissions.fromString("rwxr-xr-x"));
        }
        for (String engine : List.of("vllm_v1", "sglang", "trtllm")) {
            for (String name : HOSTILE) {
                Map<String, String> files = named(engine, name);
                String operand = name.startsWith("-") ? "./" + name : name;
                assertThat(run(dir, files.get("command.sh"))).as(engine + name).contains(operand);
                LocatedJson pod = Yaml.parse(files.get("kubernetes.yaml").split("---\n", -1)[0], "manifest")
                        .get("spec")
                        .get("template")
                        .get("spec");
                String script = pod.get("containers")
                        .items()
                        .get(0)
                        .get("args")
                        .items()
                        .get(0)
                        .asString();
                assertThat(run(dir, script)).as(engine + name).contains(operand);
                assertThat(run(dir, composeScript(files))).as(engine + name).contains(operand);
                assertThat(run(dir, dynamoScript(files, 1))).as(engine + name).contains(operand);
                assertThat(dir.resolve("PWNED")).doesNotExist();
            }
        }
    }

    private static String composeScript(Map<String, String> files) {
        return Yaml.parse(files.get("compose.yaml"), "compose")
                .get("services")
                .get("engine-0")
                .get("command")
                .items()
                .get(0)
                .asString()
                .replace("$$", "$");
    }

    private static LocatedJson component(Map<String, String> files, String file, int index) {
        return Yaml.parse(files.get(file), "dynamo")
                .get("spec")
                .get("components")
                .items()
                .get(index);
    }

    private static String dynamoScript(Map<String, String> files, int index) {
        return script(component(files, "dynamo.yaml", index));
    }

    private static String script(LocatedJson component) {
        return component
                .get("podTemplate")
                .get("spec")
                .get("containers")
                .items()
                .get(0)
                .get("args")
                .items()
                .get(0)
                .asString();
    }

    @Test
    void writesADynamoGraphDeployment() {
        Map<String, String> files = files("trtllm", "h100", 4, Precision.BF16, Precision.FP8);
        LocatedJson graph = Yaml.parse(files.get("dynamo.yaml"), "dynamo");
        assertThat(graph.get("apiVersion").asString()).isEqualTo("nvidia.com/v1beta1");
        assertThat(graph.get("kind").asString()).isEqualTo("DynamoGraphDeployment");
        assertThat(graph.get("spec").get("backendFramework").asString()).isEqualTo("trtllm");
        assertThat(component(files, "dynamo.yaml", 0).get("type").asString()).isEqualTo("frontend");
        LocatedJson worker = component(files, "dynamo.yaml", 1);
        assertThat(worker.get("type").asString()).isEqualTo("worker");
        assertThat(worker.get("replicas").asLong()).isEqualTo(3);
        assertThat(worker.get("sharedMemorySize").asString()).isEqualTo("16Gi");
        LocatedJson pod = worker.get("podTemplate").get("spec");
        assertThat(pod.members()).as("the operator mounts /dev/shm").containsOnlyKeys("containers");
        assertThat(pod.get("containers").items().get(0).get("name").asString()).isEqualTo("main");
        assertThat(script(worker))
                .contains(
                        "python3 -m dynamo.trtllm --model meta-llama/Meta-Llama-3-70B",
                        "--tensor-parallel-size 4",
                        "--max-num-tokens 2048",
                        "--free-gpu-memory-fraction 0.9",
                        "--extra-engine-args extra_llm_api_options.yaml")
                .doesNotContain("--backend", "--port", "--tp_size");
        assertThat(files("vllm_v1", "mi300x", 4, Precision.BF16, Precision.BF16))
                .doesNotContainKey("dynamo.yaml");
    }

    /** The members have the names and types of the operator's custom resource definition. */
    @ParameterizedTest
    @CsvSource({"vllm_v1, vllm", "sglang, sglang", "trtllm, trtllm"})
    void writesGraphsThatTheOperatorAccepts(String engine, String framework) throws IOException {
        PlanSettings.Search any = Plans.search(List.of(1), List.of(Precision.BF16), List.of(256), List.of(2048));
        PlanSettings settings = Plans.settings("llama3_8b", "h100", 8, "ttft_p99_ms<500", any, engine);
        Map<String, String> pools = EngineFiles.ofPools(pool(engine, settings, 1, 4), pool(engine, settings, 4, 2));
        Map<String, String> one = files(engine, "h100", 4, Precision.FP8, Precision.FP8);
        String schema;
        try (InputStream in = EngineFilesTest.class.getResourceAsStream("/dynamographdeployment.schema.json")) {
            schema = new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
        JsonSchemaCheck check = new JsonSchemaCheck(schema);
        for (String text : List.of(one.get("dynamo.yaml"), pools.get("dynamo.yaml"))) {
            LocatedJson graph = Yaml.parse(text, "dynamo");
            assertThat(check.problems(graph)).isEmpty();
            assertThat(graph.get("spec").get("backendFramework").asString()).isEqualTo(framework);
            List<String> names = graph.get("spec").get("components").items().stream()
                    .map(component -> component.get("name").asString().toLowerCase(Locale.ROOT))
                    .toList();
            assertThat(names).doesNotHaveDuplicates();
        }
        String wrong =
                one.get("dynamo.yaml").replace("replicas: 3", "replicas: many").replace("name: main", "name: x");
        assertThat(check.problems(Yaml.parse(wrong, "dynamo"))).hasSizeGreaterThan(1);
    }

    @Test
    void startsTheCopiesOfAHostWithCompose() {
        LocatedJson file = Yaml.parse(
                files("vllm_v1", "h100", 4, Precision.BF16, Precision.BF16).get("compose.yaml"), "compose");
        assertThat(file.get("services").members()).containsOnlyKeys("engine-0", "engine-1");
        LocatedJson second = file.get("services").get("engine-1");
        assertThat(second.get("ports").items().get(0).asString()).isEqualTo("8001:8000");
        assertThat(second.get("deploy").toString()).contains("4");
        assertThat(files("vllm_v1", "mi300x", 4, Precision.BF16, Precision.BF16).get("compose.yaml"))
                .contains("/dev/kfd");
    }

    @Test
    void writesValuesOfLlmdForVllmOnly() {
        LocatedJson values = Yaml.parse(
                files("vllm_v1", "h100", 4, Precision.FP8, Precision.FP8).get("llm-d-values.yaml"), "values");
        assertThat(values.get("modelArtifacts").get("uri").asString()).isEqualTo("hf://meta-llama/Meta-Llama-3-70B");
        LocatedJson decode = values.get("decode");
        assertThat(decode.get("replicas").asLong()).isEqualTo(3);
        assertThat(decode.get("parallelism").get("tensor").asLong()).isEqualTo(4);
        List<String> arguments = decode.get("containers").items().get(0).get("args").items().stream()
                .map(LocatedJson::asString)
                .toList();
        assertThat(arguments)
                .containsSequence("--max-num-seqs", "256")
                .containsSequence("--quantization", "fp8_per_tensor")
                .doesNotContain("--tensor-parallel-size", "--port");
        assertThat(values.get("prefill").get("create").asBool()).isFalse();
        assertThat(files("sglang", "h100", 4, Precision.FP8, Precision.FP8)).doesNotContainKey("llm-d-values.yaml");
        assertThat(files("vllm_v1", "h100", 4, Precision.INT4, Precision.BF16)).doesNotContainKey("llm-d-values.yaml");
    }

    @Test
    void writesPrefillAndDecodePools() {
        PlanSettings.Search any = Plans.search(List.of(1), List.of(Precision.BF16), List.of(256), List.of(2048));
        PlanSettings settings = Plans.settings("llama3_8b", "h100", 8, "ttft_p99_ms<500", any, "vllm_v1");
        Map<String, String> files = EngineFiles.ofPools(pool(settings, 1, 4), pool(settings, 4, 2));
        assertThat(files).containsOnlyKeys("prompts.sh", "outputs.sh", "dynamo.yaml", "llm-d-values.yaml");
        LocatedJson prefill = component(files, "dynamo.yaml", 1);
        assertThat(prefill.get("type").asString()).isEqualTo("prefill");
        assertThat(prefill.get("replicas").asLong()).isEqualTo(4);
        assertThat(script(prefill)).contains("--disaggregation-mode prefill", "\"kv_producer\"");
        assertThat(script(component(files, "dynamo.yaml", 2)))
                .contains("--tensor-parallel-size 4", "--disaggregation-mode decode", "\"kv_consumer\"");
        LocatedJson values = Yaml.parse(files.get("llm-d-values.yaml"), "values");
        assertThat(values.get("routing").get("proxy").get("enabled").asBool()).isTrue();
        assertThat(values.get("prefill").get("replicas").asLong()).isEqualTo(4);
        assertThat(files.values()).noneMatch(text -> text.contains("kv_both"));
    }

    @Test
    void writesPoolsOfTensorRtWithTheirServer() {
        PlanSettings.Search any = Plans.search(List.of(1), List.of(Precision.BF16), List.of(256), List.of(2048));
        PlanSettings settings = Plans.settings("llama3_8b", "h100", 8, "ttft_p99_ms<500", any, "trtllm");
        Map<String, String> files = EngineFiles.ofPools(pool("trtllm", settings, 1, 2), pool("trtllm", settings, 4, 1));
        assertThat(files)
                .containsOnlyKeys(
                        "prompts.sh",
                        "outputs.sh",
                        "prompts.yaml",
                        "outputs.yaml",
                        "disagg_config.yaml",
                        "router.sh",
                        "dynamo.yaml");
        assertThat(files.get("prompts.sh")).contains("trtllm-serve", "--extra_llm_api_options prompts.yaml");
        LocatedJson options = Yaml.parse(files.get("prompts.yaml"), "prompts");
        assertThat(options.get("disable_overlap_scheduler").asBool()).isTrue();
        assertThat(options.get("cache_transceiver_config")
                        .get("max_tokens_in_buffer")
                        .asLong())
                .isEqualTo(2048);
        assertThat(files.get("outputs.yaml")).doesNotContain("disable_overlap_scheduler");
        LocatedJson server = Yaml.parse(files.get("disagg_config.yaml"), "server");
        assertThat(server.get("context_servers").get("num_instances").asLong()).isEqualTo(2);
        assertThat(server.get("context_servers").get("urls").items()).hasSize(2);
        assertThat(server.get("generation_servers").get("num_instances").asLong())
                .isEqualTo(1);
        assertThat(files.get("router.sh")).contains("trtllm-serve disaggregated -c disagg_config.yaml");
        assertThat(script(component(files, "dynamo.yaml", 1)))
                .contains("--extra-engine-args prompts.yaml", "--disaggregation-mode prefill")
                .doesNotContain("kv_connector");
    }

    @Test
    void writesPoolsOfSglangWithTheirRouter() {
        PlanSettings.Search any = Plans.search(List.of(1), List.of(Precision.BF16), List.of(256), List.of(2048));
        PlanSettings settings = Plans.settings("llama3_8b", "h100", 8, "ttft_p99_ms<500", any, "sglang");
        Map<String, String> files = EngineFiles.ofPools(pool("sglang", settings, 1, 2), pool("sglang", settings, 4, 1));
        assertThat(files).containsOnlyKeys("prompts.sh", "outputs.sh", "router.sh", "dynamo.yaml");
        assertThat(files.get("prompts.sh"))
                .contains("--disaggregation-mode prefill", "--disaggregation-transfer-backend nixl");
        assertThat(files.get("outputs.sh")).contains("--disaggregation-mode decode");
        assertThat(files.get("router.sh"))
                .contains(
                        "--pd-disaggregation", "--prefill http://prefill-1:8000 8998", "--decode http://decode-0:8000");
        assertThat(script(component(files, "dynamo.yaml", 2)).split("--disaggregation-mode"))
                .hasSize(2);
    }

    private static EngineFiles pool(PlanSettings settings, int tp, int copies) {
        return pool("vllm_v1", settings, tp, copies);
    }

    private static EngineFiles pool(String engine, PlanSettings settings, int tp, int copies) {
        Shape shape =
                new Shape(engine, CardFiles.engine(engine), tp, 1, Precision.BF16, Precision.BF16, Precision.BF16);
        return new EngineFiles(settings, new EngineChoice(shape, 256, 2048), copies, 1500);
    }

    private static Map<String, String> named(String engine, String name) {
        PlanSettings.Search any = Plans.search(List.of(4), List.of(Precision.BF16), List.of(256), List.of(2048));
        PlanSettings plain = Plans.settings("llama3_70b", "h100", 8, "ttft_p99_ms<500", any, engine);
        PlanSettings settings = KeyRecord.with(
                PlanSettings.class,
                plain,
                Map.of(
                        "model",
                        KeyRecord.with(ModelCard.class, plain.model(), Map.of("name", name, "family", name)),
                        "hardware",
                        KeyRecord.with(HardwareCard.class, plain.hardware(), Map.of("name", name))));
        Shape shape = new Shape(engine, CardFiles.engine(engine), 4, 1, Precision.BF16, Precision.BF16, Precision.BF16);
        return new EngineFiles(settings, new EngineChoice(shape, 256, 2048), 3, 1500).all();
    }

    /** Runs a script and returns the arguments of its program. */
    private static List<String> run(Path dir, String script) throws Exception {
        Path file = Files.writeString(dir.resolve("script.sh"), script);
        ProcessBuilder shell = new ProcessBuilder("sh", file.toString()).directory(dir.toFile());
        shell.environment().put("PATH", dir + ":" + System.getenv("PATH"));
        Process process = shell.redirectErrorStream(true).start();
        String output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return List.of(output.split("\0", -1));
    }

    /** A manifest names every variable that it needs, and pins its image. */
    @ParameterizedTest
    @CsvSource({
        "vllm_v1, h100, BF16, false",
        "vllm_v1, h100, FP8, false",
        "vllm_v1, h100, INT4, true",
        "sglang, h200, FP8, false",
        "sglang, h200, INT8, true",
        "trtllm, b200, FP8, true",
        "trtllm, b200, BF16, false",
        "vllm_v1, mi300x, FP8, false"
    })
    void writesVariablesAndAPinnedImageToTheManifest(String engine, String hardware, Precision weights, boolean needs) {
        Map<String, String> files = files(engine, hardware, 4, weights, Precision.BF16);
        String manifest = files.get("kubernetes.yaml");
        assertThat(manifest)
                .contains("HF_TOKEN", "secretKeyRef", "optional: true")
                .doesNotContain(":latest");
        assertThat(manifest.contains("name: CHECKPOINT")).isEqualTo(needs);
        assertThat(manifest.contains("Requires a checkpoint")).isEqualTo(needs);
        assertThat(files.get("command.sh").contains("${CHECKPOINT:?")).isEqualTo(needs);
    }
}
