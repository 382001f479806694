package dev.stagesim.feature.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.bench.engine.Engine;
import dev.stagesim.bench.engine.EngineProgram;
import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.bench.engine.Engines;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Tests the process that runs suite workloads on small networks; requires TensorFlow. */
@Tag("long")
class TfRunnerTest {
    private static final Path HOME =
            Path.of(System.getProperty("stagesim.home", "")).toAbsolutePath();

    @TempDir
    private static Path shared;

    private static List<Path> classPath = List.of();
    private static Path natives = Path.of("");

    @TempDir
    private Path dir;

    @BeforeAll
    static void install() throws IOException {
        EngineStore store = EngineStore.of(HOME);
        Engine engine = Engines.find("tf");
        assumeTrue(store.installed(engine).isPresent(), "engine tf is not installed");
        List<Path> jars = store.jars(engine);
        Path program = EngineProgram.jar(jars, HOME, "tf", shared);
        classPath = Stream.concat(Stream.of(program), jars.stream()).toList();
        natives = store.installed(engine).orElseThrow().resolve("cache");
    }

    /** A workload of two dense layers. */
    private static Map<String, String> job(String... more) {
        Map<String, String> job = new TreeMap<>();
        String base = "label=T seed=3 batch=2 host=none source=normal elements=2 labels=random classes=3 vocabulary=0"
                + " parallel_calls=2 shuffle=0 cache=false repeat=true prefetch=2 prefetch_to_device=false defects=false"
                + " gpu=false compiled=false compute_type=FLOAT mixed=false optimizer=adam learning_rate=0.1"
                + " loss=cross_entropy accuracy=true callback=end inter_threads=1 intra_threads=1 warmup=0 steps=3"
                + " trace_steps=0 trace_warmup=0 infer_steps=1 element.0=6 input.0=6";
        for (String pair : base.split(" ", 0)) {
            put(job, pair);
        }
        put(job, "net.0=dense 4 relu");
        put(job, "net.1=dense 3");
        for (String pair : more) {
            put(job, pair);
        }
        return job;
    }

    private static void put(Map<String, String> job, String pair) {
        int at = pair.indexOf('=');
        job.put(pair.substring(0, at), pair.substring(at + 1));
    }

    private List<LocatedJson> run(Map<String, String> job) throws IOException {
        String text = job.entrySet().stream()
                .map(line -> line.getKey() + "=" + line.getValue() + "\n")
                .collect(Collectors.joining());
        EngineProcess child = new EngineProcess(
                classPath,
                "dev.stagesim.engine.tf.FrameworkProcess",
                List.of("-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1", "-Dorg.bytedeco.javacpp.cachedir=" + natives),
                Map.of("TF_CPP_MIN_LOG_LEVEL", "1", "CUDA_VISIBLE_DEVICES", "-1"),
                300);
        List<LocatedJson> answers = new ArrayList<>();
        child.run(Files.writeString(dir.resolve("job.properties"), text), dir.resolve("log"), answers::add);
        return answers;
    }

    private static List<LocatedJson> of(List<LocatedJson> answers, String event) {
        return answers.stream()
                .filter(answer -> answer.get("event").asString().equals(event))
                .toList();
    }

    private static List<LocatedJson> steps(List<LocatedJson> answers) {
        return of(answers, "step").stream()
                .filter(step -> !step.get("loss").asString().isEmpty())
                .toList();
    }

    private static List<Double> losses(List<LocatedJson> answers) {
        return steps(answers).stream()
                .map(step -> Double.parseDouble(step.get("loss").asString()))
                .toList();
    }

    private static void assertClose(List<Double> some, List<Double> others, double tolerance) {
        assertThat(some).hasSameSizeAs(others);
        for (int i = 0; i < some.size(); i++) {
            assertThat(some.get(i)).as("step " + i).isCloseTo(others.get(i), within(tolerance));
        }
    }

    private static List<String> kinds(List<LocatedJson> answers) {
        return of(answers, "node").stream()
                .map(node -> node.get("label").asString())
                .distinct()
                .toList();
    }

    /** All steps use the same batch, so the loss depends only on the weights. */
    @Test
    void updatesWeightsOnlyAfterAccumulation() throws IOException {
        List<LocatedJson> answers = run(job("steps=8", "special.0=accumulate 4"));
        List<Double> losses = losses(answers);
        assertThat(losses.subList(0, 4)).containsOnly(losses.get(0));
        assertThat(losses.subList(4, 8)).containsOnly(losses.get(4));
        assertThat(losses.get(4)).isLessThan(losses.get(0));
        assertThat(of(answers, "done").get(0).get("updates").asLong()).isEqualTo(2);
    }

    @Test
    void reducesTheLossScaleAndKeepsWeightsAfterAnOverflow() throws IOException {
        List<LocatedJson> answers =
                run(job("mixed=true", "compute_type=BFLOAT16", "steps=6", "loss_scale=6e38", "loss_scale_growth=2"));
        List<LocatedJson> steps = steps(answers);
        List<Double> losses = losses(answers);
        int skipped = (int)
                steps.stream().takeWhile(step -> !step.get("finite").asBool()).count();
        assertThat(skipped).isBetween(1, 4);
        for (int i = 0; i < skipped; i++) {
            assertThat(losses.get(i)).isEqualTo(losses.get(0));
            assertThat(steps.get(i + 1).get("loss_scale").asDouble())
                    .isEqualTo(steps.get(i).get("loss_scale").asDouble() / 2);
        }
        assertThat(losses.get(skipped)).isEqualTo(losses.get(0));
        assertThat(losses.get(skipped + 1)).isNotEqualTo(losses.get(0));
        assertThat(of(answers, "done").get(0).get("updates").asLong()).isEqualTo(6 - skipped);
    }

    @Test
    void increasesTheLossScaleAfterFiniteSteps() throws IOException {
        List<LocatedJson> steps = steps(
                run(job("mixed=true", "compute_type=BFLOAT16", "steps=5", "loss_scale=8", "loss_scale_growth=2")));
        assertThat(steps)
                .extracting(step -> step.get("loss_scale").asDouble())
                .containsExactly(8.0, 8.0, 16.0, 16.0, 32.0);
    }

    /** The Java kernel computes the same values as the framework's operations. */
    @ParameterizedTest
    @CsvSource({
        "center, normal, 6, dense 4 relu",
        "scale 1.5, normal, 6, dense 4 relu",
        "center_time, normal, 6 2, gru 4",
        "zero_odd, tokens, 6, emb 9 4",
        "roll 2, tokens, 6, emb 9 4",
        "decode_bytes, bytes, 4 4 3, conv 2 3",
        "fft_real, normal, 4 6, flatten"
    })
    void matchesTheGraphWithAHostFunction(String verb, String source, String element, String layer) throws IOException {
        List<String> more =
                new ArrayList<>(List.of("source=" + source, "vocabulary=9", "ops.0=" + verb, "net.0=" + layer));
        more.add(layer.startsWith("emb") ? "net.1=gap" : layer.startsWith("conv") ? "net.1=gap" : "net.1=act relu");
        more.add("net.2=dense 3");
        String[] sizes = element.split(" ", 0);
        for (int i = 0; i < sizes.length; i++) {
            more.add("element." + i + "=" + sizes[i]);
            more.add("input." + i + "=" + sizes[i]);
        }
        List<LocatedJson> graph = run(job(more.toArray(String[]::new)));
        more.add("host=" + verb.split(" ", 0)[0]);
        List<LocatedJson> host = run(job(more.toArray(String[]::new)));
        assertClose(losses(host), losses(graph), 1e-4);
        assertThat(of(graph, "done").get(0).get("host_calls").asLong()).isZero();
        assertThat(of(host, "done").get(0).get("host_calls").asLong()).isGreaterThanOrEqualTo(6);
    }

    @Test
    void failsWhenTheHostLacksTheFunction() {
        assertThatThrownBy(() -> run(job(
                        "element.0=4",
                        "element.1=4",
                        "element.2=3",
                        "input.0=4",
                        "input.1=4",
                        "input.2=3",
                        "ops.0=nms_scale 4 2",
                        "host=nms_scale",
                        "net.0=conv 2 3",
                        "net.1=gap")))
                .hasMessageContaining("nms_scale does not run in the host's language");
    }

    /** An LSTM is one operation, or a loop that is compiled into one. Both compute the same values. */
    @Test
    void matchesTheGraphStepWhenCompiled() throws IOException {
        String[] more = {
            "element.0=5",
            "element.1=3",
            "input.0=5",
            "input.1=3",
            "net.0=bilstm 4 seq",
            "net.1=lstm 3",
            "net.2=dense 3",
            "trace_steps=1",
            "optimizer=adamw"
        };
        List<LocatedJson> plain = run(job(more));
        Map<String, String> job = job(more);
        job.put("compiled", "true");
        List<LocatedJson> compiled = run(job);
        assertClose(losses(compiled), losses(plain), 1e-4);
        assertThat(kinds(plain)).contains("BlockLSTMV2", "BlockLSTMGradV2").doesNotContain("compiled step");
        assertThat(kinds(compiled)).contains("compiled step").doesNotContain("MatMul");
        assertThat(of(compiled, "built").get(0).get("compiled").asBool()).isTrue();
    }

    /** Eager operations compute the same values as the graph, including accumulated gradients. */
    @Test
    void matchesTheGraphStepWhenEager() throws IOException {
        String[] more = {"steps=6", "special.0=accumulate 2", "trace_steps=1", "optimizer=adamw"};
        List<LocatedJson> graph = run(job(more));
        Map<String, String> job = job(more);
        job.put("special.1", "eager");
        List<LocatedJson> eager = run(job);
        assertClose(losses(eager), losses(graph), 1e-5);
        assertThat(losses(eager).get(6)).isLessThan(losses(eager).get(0));
        assertThat(of(eager, "node"))
                .isNotEmpty()
                .allMatch(node -> node.get("device").asString().equals("eager"));
    }

    /** A sparse layer without omitted values equals a dense layer. */
    @Test
    void matchesDenseSamplesWithSparseOnes() throws IOException {
        List<LocatedJson> sparse = run(job("ops.0=sparsify 0", "net.0=sparse_dense 4 0.6", "trace_steps=1"));
        List<LocatedJson> dense = run(job("net.0=dense 4", "trace_steps=1"));
        assertThat(kinds(sparse)).contains("SparseTensorDenseMatMul");
        assertClose(losses(sparse), losses(dense), 1e-5);
    }

    /** Batches have the length of their longest sequence; padding does not change results. */
    @Test
    void variesTheLengthOfSequences() throws IOException {
        String[] more = {
            "source=generated_sequences",
            "elements=0",
            "labels=modulo",
            "element.0=9",
            "element.1=3",
            "input.0=9",
            "input.1=3",
            "ops.0=length 2 9",
            "ops.1=ragged",
            "ops.2=ragged_to_dense",
            "net.0=lstm 4 seq",
            "net.1=lstm 3",
            "net.2=dense 3",
            "special.0=masking",
            "special.1=ragged_unique",
            "special.2=infer_lengths 4 7",
            "infer_steps=2",
            "trace_steps=1"
        };
        List<LocatedJson> ragged = run(job(more));
        Map<String, String> job = job(more);
        job.put("ops.1", "padded");
        job.remove("ops.2");
        List<LocatedJson> padded = run(job);
        assertThat(losses(ragged)).isEqualTo(losses(padded));
        assertThat(kinds(ragged)).contains("Unique", "TopKV2", "BlockLSTMV2");
        assertThat(of(ragged, "logits")).hasSize(2);
    }

    @Test
    void readsWordsInParallelWithTheStep() throws IOException {
        List<LocatedJson> answers = run(job(
                "source=sentences",
                "elements=8",
                "vocabulary=8",
                "element.0=5",
                "input.0=5",
                "ops.0=lower",
                "ops.1=split",
                "ops.2=pad_cut 5",
                "ops.3=table_lookup 8",
                "net.0=emb 8 4",
                "net.1=gap",
                "net.2=dense 3",
                "special.0=side_while 3",
                "trace_steps=1"));
        assertThat(of(answers, "done").get(0).get("finite").asBool()).isTrue();
        assertThat(kinds(answers)).contains("StatelessWhile", "GatherV2");
    }

    @Test
    void exhaustsTheSourceWhenReferenceBugsAreKept() {
        assertThatThrownBy(() -> run(job("repeat=false", "defects=true"))).hasMessageContaining("End of sequence");
    }

    @Test
    void reportsAGpuThatTheFrameworkCannotUse() {
        assertThatThrownBy(() -> run(job("gpu=true")))
                .hasMessageContaining("T needs a GPU and the framework can use none");
    }
}
