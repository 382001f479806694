package dev.stagesim.feature.suite.compare;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.SchemaKeys;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.contract.SuiteTables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.scalesim.ScaleSimTables;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.Upstream;
import dev.stagesim.stage.compare.CompareStage;
import dev.stagesim.stage.compare.CompareStageSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Comparisons of a measured workload of the profiling suite. */
class FrameworkCompareTest {
    private static final Path HOME = Path.of("").toAbsolutePath();

    private final Path out = Jimfs.newFileSystem(Configuration.unix()).getPath("/out");
    private final FakeContext context = new FakeContext(out, HOME);

    private static CompareStageSettings compose(String... overrides) {
        List<String> all = new ArrayList<>(List.of("bench=tf", "workload=tf/mlp_a"));
        all.addAll(List.of(overrides));
        return plain(all.toArray(String[]::new));
    }

    private static CompareStageSettings plain(String... overrides) {
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", Path.of("configs"))));
        ComposeRequest request = ComposeRequest.of("compare", List.of(overrides))
                .withSchema(new SchemaKeys(SettingsSchema.of(CompareStageSettings.class)));
        return Binder.bind(engine.compose(request).config(), CompareStageSettings.class);
    }

    private void run(String... overrides) throws IOException {
        Files.createDirectories(out);
        new CompareStage().run(compose(overrides), context);
    }

    private void given(String role, SuiteRunFixture run) throws IOException {
        context.with(role, run.write(out.resolveSibling(role)), "real_bench");
    }

    private static SuiteRunFixture mlp() {
        return new SuiteRunFixture("MLP-A", "mlp")
                .step(100_000)
                .layer("01_dense", "forward", "matmul", 30_000)
                .layer("01_dense", "backward", "matmul", 40_000)
                .layer("02_act", "forward", "elementwise", 5_000);
    }

    private List<String> rows(String table) throws IOException {
        return Files.readAllLines(out.resolve("tables").resolve(table));
    }

    /**
     * Each layer has a roofline of 1000 ns and an array time of 700 ns. The steps of the two processes differ by 0.5
     * us.
     */
    @Test
    void predictsEveryLayerWithoutFit() throws IOException {
        given("real", mlp());
        run();
        assertThat(rows("layers.csv"))
                .contains(
                        "01_dense,backward,matmul,40000.0,1000.0,700.0,,",
                        "02_act,forward,elementwise,5000.0,1000.0,700.0,,");
        assertThat(rows("step.csv"))
                .contains("step,roofline,100250.0,3000.0," + 100 * (3000.0 - 100250) / 100250 + ",")
                // only layers of at least 20 us count: factors 30 and 40
                .contains("layers,roofline,75000.0,3000.0,-96.0,35.0");
        assertThat(rows("classes.csv")).contains("elementwise,5000.0,1000.0,0.2,");
        assertThat(out.resolve("tables/held_out.csv")).doesNotExist();
        LocatedJson json = Json.read(out.resolve("framework_comparison.json"));
        assertThat(json.get("noise_percent").asDouble()).isEqualTo(0.5, org.assertj.core.data.Offset.offset(1e-9));
        assertThat(json.get("input_wait_ns").asDouble()).isEqualTo(300);
        assertThat(Files.readString(out.resolve("summary.md"))).contains("Nothing is fitted");
        assertThat(context.warnings.toString()).contains("device: x");
        assertThat(context.headlines).containsEntry("roofline_step_ns", 3000.0);
    }

    @Test
    void takesEfficienciesOnlyFromOtherFamilies() throws IOException {
        given("real", mlp());
        given("fit_1", new SuiteRunFixture("CNN-A", "cnn").layer("01_conv", "forward", "matmul", 25_000));
        given("fit_2", new SuiteRunFixture("MLP-B", "mlp").layer("01_dense", "forward", "matmul", 900_000));
        run("compare.fit.runs=[/fit_1,/fit_2]");
        // MLP-B belongs to the family, so the fit ignores it. CNN-A takes 25 rooflines, also for an unseen class.
        assertThat(rows("layers.csv")).contains("01_dense,forward,matmul,30000.0,1000.0,700.0,25000.0,");
        assertThat(rows("layers.csv")).contains("02_act,forward,elementwise,5000.0,1000.0,700.0,25000.0,");
        assertThat(rows("classes.csv")).contains("matmul,70000.0,2000.0," + 2.0 / 70 + ",0.04");
        assertThat(rows("held_out.csv")).hasSize(4).anySatisfy(row -> assertThat(row)
                .startsWith("mlp,MLP-A,35.0,")
                .endsWith("," + (30.0 / 25 + 40.0 / 25) / 2));
        LocatedJson json = Json.read(out.resolve("framework_comparison.json"));
        assertThat(json.get("fitted_on").asStrings()).containsExactly("CNN-A");
        assertThat(Files.readString(out.resolve("report.html"))).contains("Prediction errors by family");
    }

    @Test
    void comparesASecondMeasurementByLayerWithTheNoise() throws IOException {
        given("real", mlp());
        given("sim", mlp().step(120_000));
        run("sim.dir=/sim", "compare.tolerance.step_p50_percent=5");
        assertThat(rows("step.csv"))
                .contains("layers,sim,75000.0,75000.0,0.0,1.0", "input_wait,sim,300.0,300.0,0.0,")
                .anySatisfy(row -> assertThat(row).startsWith("step,sim,100250.0,120250.0,19.9"));
        assertThat(context.failedChecks.toString()).contains("compare.tolerance.step_p50_percent");
        assertThat(context.headlines).containsEntry("sim_step_ns", 120_250.0);
        assertThat(Files.readString(out.resolve("report.html"))).contains("in the second run.");
    }

    @Test
    void comparesOnlyTheStepWhenItIsCompiled() throws IOException {
        given("real", mlp());
        given("sim", mlp().compiled());
        run("sim.dir=/sim");
        assertThat(rows("layers.csv")).contains("01_dense,forward,matmul,30000.0,1000.0,700.0,,");
        assertThat(rows("step.csv")).noneMatch(row -> row.startsWith("layers,sim"));
        assertThat(rows("step.csv")).contains("step,sim,100250.0,100250.0,0.0,");
        assertThat(Files.readString(out.resolve("summary.md"))).contains("within the noise of equal processes");
    }

    @Test
    void comparesOnlyTheStepWhenTheRealSideIsCompiled() throws IOException {
        given("real", mlp().compiled());
        given("fit_1", new SuiteRunFixture("CNN-A", "cnn").layer("01_conv", "forward", "matmul", 25_000));
        run("compare.fit.runs=[/fit_1]");
        assertThat(rows("step.csv")).hasSize(4).allMatch(row -> !row.startsWith("layers"));
        assertThat(rows("layers.csv")).contains("01_dense,forward,matmul,,1000.0,700.0,25000.0,");
        assertThat(Files.readString(out.resolve("report.html"))).contains("The step was compiled");
    }

    /** Cycles are converted at 2 GHz, the clock of the measured run. Both gradients count as one direction. */
    @Test
    void alignsASimulationOfTheProducts() throws IOException {
        given("real", mlp());
        Path sim = Files.createDirectories(out.resolveSibling("sim"));
        try (TableWriter rows = TableWriter.create(sim.resolve(ScaleSimTables.LAYERS.name()), ScaleSimTables.LAYERS)) {
            long id = 0;
            for (String name : List.of("forward", "input_gradient", "weight_gradient")) {
                rows.put(id++)
                        .put("01_dense/product/" + name)
                        .put(1L)
                        .put(8L)
                        .put(4000L)
                        .put(4000L)
                        .put(0L);
                for (int i = 0; i < 8; i++) {
                    rows.put(1.0);
                }
                rows.endRow();
            }
        }
        context.with("sim", sim, "scale_sim");
        run("sim.dir=/sim");
        assertThat(rows("layers.csv"))
                .contains("01_dense,forward,matmul,30000.0,1000.0,700.0,,2000.0")
                .contains("01_dense,backward,matmul,40000.0,1000.0,700.0,,4000.0")
                .contains("02_act,forward,elementwise,5000.0,1000.0,700.0,,");
        assertThat(rows("step.csv")).anyMatch(row -> row.startsWith("layers,sim,70000.0,6000.0,"));
    }

    @Test
    void alignsRooflinesOfAnotherDevice() throws IOException {
        given("real", mlp());
        Path sim = Files.createDirectories(out.resolveSibling("sim"));
        context.with("sim", sim, "workload");
        operator(sim, 9.0);
        run("sim.dir=/sim");
        assertThat(rows("layers.csv")).contains("01_dense,forward,matmul,30000.0,1000.0,700.0,,9.0");
        operator(sim, -1);
        assertThatThrownBy(() -> run("sim.dir=/sim")).hasMessageContaining("has no hardware");
    }

    private static void operator(Path run, double roofline) throws IOException {
        try (TableWriter rows = TableWriter.create(run.resolve(SuiteTables.OPERATORS.name()), SuiteTables.OPERATORS)) {
            rows.put(0L).put("01_dense").put("product").put("matmul").put("forward");
            rows.put(2L).put(1L).put(5L).put(1L).put(20L).put(0L).put(68L).put(5L);
            if (roofline < 0) {
                rows.putEmpty().endRow();
            } else {
                rows.put(roofline).endRow();
            }
        }
    }

    @Test
    void rejectsAnotherWorkload() throws IOException {
        given("real", mlp());
        given("sim", new SuiteRunFixture("MLP-B", "mlp"));
        assertThatThrownBy(() -> run("sim.dir=/sim")).hasMessageContaining("measures MLP-B");
    }

    @Test
    void rejectsKeysWithoutEffect() {
        assertThatThrownBy(() -> new CompareStage()
                        .check(
                                compose(
                                        "compare.tolerance.ttft_p50_percent=3",
                                        "compare.tolerance.step_p50_percent=3",
                                        "compare.exclude_warmup=2",
                                        "compare.exclude_failed=true"),
                                HOME))
                .hasMessageContaining("ttft_p50_percent")
                .hasMessageContaining("sim.dir names none")
                .hasMessageContaining("exclude_warmup")
                .hasMessageContaining("exclude_failed");
        assertThatThrownBy(() -> new CompareStage().check(plain("workload=tf/mlp_a"), HOME))
                .hasMessageContaining("nothing measures it here")
                .hasMessageContaining("bench=tf");
        assertThatThrownBy(() -> new CompareStage().check(plain("compare.fit.runs=[a]"), HOME))
                .hasMessageContaining("compare.fit.runs");
    }

    @Test
    void listsTheInputsInUse() {
        List<Upstream> made = new CompareStage().upstreams(compose());
        assertThat(made).extracting(Upstream::role).containsExactly("real");
        List<Upstream> all = new CompareStage()
                .upstreams(compose("sim.dir=s", "compare.noise.measure=true", "compare.fit.runs=[a,b]"));
        assertThat(all).extracting(Upstream::role).containsExactly("real", "sim", "noise", "fit_3", "fit_4");
        assertThat(all.get(1).accepts()).contains("scale_sim", "workload");
        assertThat(all.get(2).further()).isEqualTo(1);
    }

    /** Equal inputs produce equal bytes. */
    @Test
    void writesTheSameArtifactsTwice() throws IOException {
        given("real", mlp());
        given("fit_1", new SuiteRunFixture("CNN-A", "cnn").layer("01_conv", "forward", "matmul", 25_000));
        run("compare.fit.runs=[/fit_1]");
        List<byte[]> before = bytes();
        run("compare.fit.runs=[/fit_1]");
        assertThat(bytes()).usingRecursiveComparison().isEqualTo(before);
    }

    private List<byte[]> bytes() throws IOException {
        List<byte[]> all = new ArrayList<>();
        try (var files = Files.walk(out)) {
            for (Path file : files.filter(Files::isRegularFile).sorted().toList()) {
                all.add(Files.readAllBytes(file));
            }
        }
        assertThat(all).hasSizeGreaterThan(6);
        return all;
    }
}
