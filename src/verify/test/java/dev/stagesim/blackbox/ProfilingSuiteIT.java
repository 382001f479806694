package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** All workloads of the profiling suite on TensorFlow: {@code mvn -Psuite verify}. */
@Tag("suite")
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class ProfilingSuiteIT {
    private static final int ALL = 35;
    private static final long TIMEOUT_MINUTES = 30;

    @TempDir
    private static Path scratch;

    private static final List<String> RUNS = new ArrayList<>();

    static List<String[]> programs() throws IOException {
        return Files.readAllLines(Path.of("tests-data/suite/program.csv")).stream()
                .skip(1)
                .map(line -> line.split(",", -1))
                .map(row -> new String[] {row[0], row[2]})
                .toList();
    }

    private static StageProcess stage() {
        return new StageProcess(scratch).patient(TIMEOUT_MINUTES);
    }

    private static StageProcess.Result measure(String label, String... more) {
        List<String> arguments = new ArrayList<>(List.of(
                "real_bench",
                "bench=tf",
                "workload=tf/" + label.toLowerCase(Locale.ROOT).replace('-', '_'),
                "suite.values=program",
                "bench.on_missing_device=cpu",
                "bench.warmup=1",
                "bench.infer_steps=1"));
        arguments.addAll(Arrays.asList(more));
        StageProcess.Result result = stage().run(arguments.toArray(String[]::new));
        assertThat(result.exit()).as(result.err()).isZero();
        return result;
    }

    @BeforeAll
    static void theEngineIsThere() {
        StageProcess.Result installed = stage().run("engines", "install", "tf");
        assertThat(installed.exit()).as(installed.err()).isZero();
    }

    /**
     * Two processes have equal and finite losses, and the number of parameters equals the table. Otherwise the exit
     * code is 3.
     */
    @Order(1)
    @ParameterizedTest
    @MethodSource("programs")
    void runsTwiceWithTheSameLosses(String label, String parameters) throws IOException {
        StageProcess.Result result = measure(
                label,
                "bench.xla=off",
                "bench.threads=cap",
                "bench.steps=2",
                "bench.trace_steps=2",
                "bench.processes=2");
        Path run = stage().dir(result);
        RUNS.add(result.line());
        LocatedJson about = Json.read(run.resolve("framework.json"));
        assertThat(about.get("label").asString()).isEqualTo(label);
        assertThat(about.get("parameters").asLong()).isEqualTo(Long.parseLong(parameters));
        List<String> losses = about.get("loss_sha256").asStrings();
        assertThat(losses).hasSize(2);
        assertThat(losses.get(0)).isEqualTo(losses.get(1));
        try (Stream<String> steps = Files.lines(run.resolve("step_metrics.csv"))) {
            assertThat(steps.filter(row -> row.contains(",train,"))).hasSize(4).noneMatch(row -> row.contains("NaN"));
        }
        assertThat(Files.readAllLines(run.resolve("op_metrics.csv"))).hasSizeGreaterThan(1);
    }

    /** A compiled step is one operation, and its losses are equal in all processes. */
    @Order(5)
    @ParameterizedTest
    @MethodSource("compiled")
    void runsTwiceWithTheSameLossesWhenCompiled(String label) throws IOException {
        StageProcess.Result result =
                measure(label, "bench.threads=cap", "bench.steps=2", "bench.trace_steps=1", "bench.processes=2");
        Path run = stage().dir(result);
        LocatedJson about = Json.read(run.resolve("framework.json"));
        assertThat(about.get("actual").get("xla").asBool()).isTrue();
        assertThat(about.get("loss_sha256").asStrings().stream().distinct()).hasSize(1);
        assertThat(Files.readString(run.resolve("op_metrics.csv"))).contains("compiled step");
    }

    /** Returns the workloads with a compiled step. */
    static List<String> compiled() throws IOException {
        List<String> all = new ArrayList<>();
        for (String[] program : programs()) {
            String file = program[0].toLowerCase(Locale.ROOT).replace('-', '_') + ".conf";
            String entry = Files.readString(Path.of("configs/workload/tf", file));
            if (entry.contains("xla = true") && !entry.contains("xla = false")) {
                all.add(program[0]);
            }
        }
        return all;
    }

    /** With one thread, the times of operations and gaps add up to the step. */
    @Order(2)
    @ParameterizedTest
    @ValueSource(strings = {"CNN-C", "MLP-F", "MLP-D", "Transformer-C"})
    void sumsTimesOfOneThreadToTheStep(String label) throws IOException {
        StageProcess.Result result = measure(
                label,
                "bench.xla=off",
                "bench.threads=one",
                "bench.steps=5",
                "bench.trace_steps=15",
                "bench.processes=1");
        LocatedJson accounting =
                Json.read(stage().dir(result).resolve("framework.json")).get("accounting");
        assertThat(accounting.get("one_thread").asBool()).isTrue();
        assertThat(accounting.get("closes").asBool())
                .as("accounted %s", accounting.get("accounted_over_step").asDouble())
                .isTrue();
    }

    @Order(3)
    @Test
    void reportsAllWorkloads() throws IOException {
        assertThat(RUNS).hasSize(ALL);
        StageProcess.Result result = stage().run("suite_report", "report.runs=[" + String.join(",", RUNS) + "]");
        assertThat(result.exit()).as(result.err()).isZero();
        Path report = stage().dir(result);
        assertThat(Files.readAllLines(report.resolve("suite_workloads.csv"))).hasSize(ALL + 1);
        assertThat(Files.readString(report.resolve("summary.md")))
                .contains("losses were the same in all processes of every workload");
    }

    @Order(4)
    @Test
    void comparesAWorkloadWithTheFitOfTheOthers() throws IOException {
        StageProcess.Result result =
                stage().run("compare", "real.dir=" + RUNS.get(0), "compare.fit.runs=[" + String.join(",", RUNS) + "]");
        assertThat(result.exit()).as(result.err()).isZero();
        assertThat(Files.readAllLines(stage().dir(result).resolve("tables/held_out.csv")))
                .hasSize(ALL + 1);
    }
}
