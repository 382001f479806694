package dev.stagesim.feature.suite;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.bench.engine.EngineStore;
import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.SchemaKeys;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.contract.SuiteTables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.io.json.Json;
import dev.stagesim.measure.BenchSettings;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.realbench.RealBenchSettings;
import dev.stagesim.stage.realbench.RealBenchStage;
import dev.stagesim.workload.TfWorkload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Tests the files that a measurement writes from the results of its process. */
class FrameworkFilesTest {
    private static final Path HOME = Path.of("").toAbsolutePath();

    private final Path out = Jimfs.newFileSystem(Configuration.unix()).getPath("/out");
    private final Path made = out.resolve("made");
    private final FakeContext context = new FakeContext(out, HOME).with("workload", made, "workload");

    private static RealBenchSettings compose(String... overrides) {
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", Path.of("configs"))));
        ComposeRequest request = ComposeRequest.of("real_bench", List.of(overrides))
                .withSchema(new SchemaKeys(SettingsSchema.of(RealBenchSettings.class)));
        return Binder.bind(engine.compose(request).config(), RealBenchSettings.class);
    }

    @BeforeEach
    void operators() throws IOException {
        Files.createDirectories(made);
        try (TableWriter rows = TableWriter.create(made.resolve(SuiteTables.OPERATORS.name()), SuiteTables.OPERATORS)) {
            operator(rows, 0, "forward", 20, 5);
            operator(rows, 1, "weight_gradient", 20, 0);
            operator(rows, 2, "input_gradient", 20, 0);
        }
    }

    private static void operator(TableWriter rows, long id, String direction, long flops, long parameters)
            throws IOException {
        rows.put(id).put("01_dense").put("product").put("matmul").put(direction);
        rows.put(2L).put(1L).put(5L).put(1L).put(flops).put(0L).put(68L).put(parameters);
        rows.putEmpty().endRow();
    }

    private static FrameworkRun run(String hash, long parameters) {
        FrameworkRun run = new FrameworkRun();
        take(run, "'event':'built','tensorflow':'2.18.0','parameters':" + parameters + ",'build_ns':7");
        take(run, "'event':'probe','flops_per_ns':2.0,'bytes_per_ns':4.0");
        step(run, 0, "train", "1.5");
        step(run, 1, "trace", "1.25");
        take(run, "'event':'call','step':1,'epoch_ns':1");
        node(run, "01_dense/MatMul", "MatMul", 100, 40);
        node(run, "backward/01_dense/MatMul_1", "MatMul", 200, 30);
        node(run, "update/01_dense/ResourceApplyAdam", "ResourceApplyAdam", 300, 20);
        node(run, "strange", "NoOp", 400, 5);
        take(run, "'event':'session','ns':5");
        step(run, 0, "infer", "");
        take(run, "'event':'logits','shape':'[2]'");
        take(
                run,
                "'event':'done','loss_sha256':'" + hash + "','peak_bytes':99,'host_calls':0,'host_ns':0,"
                        + "'loss_scale':1.0,'finite':true");
        return run;
    }

    private static void take(FrameworkRun run, String members) {
        run.take(Json.parse("{" + members.replace('\'', '"') + "}", "test"));
    }

    private static void step(FrameworkRun run, int number, String phase, String loss) {
        take(
                run,
                String.format(
                        Locale.ROOT,
                        "'event':'step','step':%d,'phase':'%s','wall_ns':1000,'input_ns':50,'loss':'%s',"
                                + "'accuracy':'NaN','samples':2,'host_calls':3",
                        number,
                        phase,
                        loss));
    }

    private static void node(FrameworkRun run, String name, String op, long start, long time) {
        take(
                run,
                String.format(
                        Locale.ROOT,
                        "'event':'node','step':1,'device':'cpu','node':'%s','label':'%s','start_ns':%d,'begin_ns':0,"
                                + "'end_ns':%d,'all_ns':%d,'thread':1",
                        name,
                        op,
                        start,
                        time,
                        time + 2));
    }

    private void write(List<FrameworkRun> runs) throws IOException {
        write(runs, false);
    }

    private void write(List<FrameworkRun> runs, boolean isCompiled) throws IOException {
        RealBenchSettings settings = compose("bench=tf", "workload=tf/mlp_d");
        TfWorkload workload = (TfWorkload) settings.workload();
        BenchSettings.Tf bench = (BenchSettings.Tf) settings.bench();
        FrameworkPlan plan = new FrameworkPlan(
                dev.stagesim.bench.engine.Engines.find("tf"),
                false,
                "FLOAT",
                isCompiled,
                1,
                1,
                List.of("device: another"));
        FrameworkVerdict.check(workload, context.input("workload"), runs).forEach(context::checkFailed);
        new FrameworkFiles(workload, settings.suite(), bench, plan, runs, context).write();
    }

    @Test
    void comparesLayersByDirection() throws IOException {
        write(List.of(run("aa", 5), run("aa", 5)));
        List<String> layers = Files.readAllLines(out.resolve(SuiteTables.LAYERS.name()));
        // 20 operations at 2 per ns and 68 bytes at 4 per ns: memory-bound, 17 ns in each direction.
        assertThat(layers.get(1)).startsWith("01_dense,forward,matmul,40,20,68,17.0,");
        assertThat(layers.get(2)).startsWith("01_dense,backward,matmul,30,40,136,34.0,");
        assertThat(Files.readAllLines(out.resolve(SuiteTables.OPS.name())))
                .contains("01_dense/MatMul,01_dense,forward,MatMul,1,40,40")
                .contains("update/01_dense/ResourceApplyAdam,01_dense,update,ResourceApplyAdam,1,20,20")
                .contains("strange,other,forward,NoOp,1,5,5");
        assertThat(Files.readAllLines(out.resolve(SuiteTables.STEPS.name())))
                .contains("0,0,train,1000,1.5,,2", "1,0,infer,1000,,,2");
        assertThat(Files.readAllLines(out.resolve(SuiteTables.INPUTS.name()))).contains("1,1,50,3");
        assertThat(Files.readString(out.resolve("framework.json")))
                .contains(
                        "\"operations_ns\": 95.0", "\"outside_ns\": 5.0", "\"around_ns\": 8.0", "\"between_ns\": 204.0")
                .contains("\"closes\": false")
                .contains("device: another");
        assertThat(Files.readString(out.resolve("trace.json"))).contains("\"cat\":\"01_dense backward\"");
        assertThat(Files.readString(out.resolve("report.html"))).contains("All 2 processes had the same losses.");
        assertThat(context.failedChecks).isEmpty();
        assertThat(context.warnings.toString()).contains("add up to 76.8").contains("not to within 5 %");
    }

    /** The remaining operations of a compiled step are not assigned to layers. */
    @Test
    void omitsLayersWhenTheStepIsCompiled() throws IOException {
        write(List.of(run("aa", 5)), true);
        assertThat(Files.readAllLines(out.resolve(SuiteTables.LAYERS.name())).get(1))
                .startsWith("01_dense,forward,matmul,0,20,68,17.0,");
    }

    @Test
    void failsChecksWhenLossesOrParametersDiffer() throws IOException {
        write(List.of(run("aa", 6), run("bb", 6)));
        assertThat(context.failedChecks.toString())
                .contains("2 different series of losses in 2 processes")
                .contains("has 6 parameters, its operators have 5");
    }

    @Test
    void rejectsMissingInputsBeforeTheRun() throws IOException {
        EngineStore none = new EngineStore(List.of(out.resolve("lib")), out.resolve("m2"));
        RealBenchSettings settings = compose("bench=tf", "workload=tf/mlp_f");
        assertThatThrownBy(() -> FrameworkPlan.of(
                        (TfWorkload) settings.workload(), settings.suite(), (BenchSettings.Tf) settings.bench(), none))
                .hasMessageContaining("stage engines install tf");
        assertThatThrownBy(() -> new RealBenchStage().check(compose("bench=tf"), HOME))
                .hasMessageContaining("workload.kind");
        assertThat(new RealBenchStage().ignoredSections(settings)).contains("real", "endpoint");
        assertThat(new RealBenchStage().measures(settings)).isTrue();
    }
}
