package dev.stagesim.feature.suite;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.SchemaKeys;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.feature.suite.graph.OperatorGraph;
import dev.stagesim.io.scalesim.MnkReader;
import dev.stagesim.io.scalesim.TopologyReader;
import dev.stagesim.measure.EveryKey;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.mnk.Cluster;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.workload.WorkloadStage;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.TfWorkload;
import dev.stagesim.workload.TfWorkload.Optimizer;
import dev.stagesim.workload.WorkloadStageSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Reads the operators and files of every entry of the profiling suite without its framework. */
class SuiteWorkloadTest {
    private static final Path TABLES = Path.of("tests-data/suite");

    private static List<String[]> rows(String table) throws IOException {
        return Files.readAllLines(TABLES.resolve(table)).stream()
                .skip(1)
                .map(line -> line.split(","))
                .toList();
    }

    static List<String[]> programs() throws IOException {
        return rows("program.csv");
    }

    static List<String[]> table() throws IOException {
        return rows("table.csv");
    }

    private static String option(String label) {
        return "workload=tf/" + label.toLowerCase(Locale.ROOT).replace('-', '_');
    }

    private static WorkloadStageSettings compose(String... overrides) {
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", Path.of("configs"))));
        ComposeRequest request = ComposeRequest.of("workload", List.of(overrides))
                .withSchema(new SchemaKeys(SettingsSchema.of(WorkloadStageSettings.class)));
        return Binder.bind(engine.compose(request).config(), WorkloadStageSettings.class);
    }

    private static TfWorkload workload(WorkloadStageSettings settings) {
        return (TfWorkload) settings.workload();
    }

    @Test
    void hasAnEntryForEveryRow() throws IOException {
        try (Stream<Path> files = Files.list(Path.of("configs/workload/tf"))) {
            assertThat(files).hasSize(35);
        }
        assertThat(programs()).hasSize(35);
        assertThat(table()).hasSize(35);
    }

    /** The expected values are from the original programs; the last digit of the table is rounded. */
    @ParameterizedTest
    @MethodSource("programs")
    void computesParametersAndWorkOfTheProgram(
            String label, String batch, String parameters, String fwd, String train) {
        WorkloadStageSettings settings = compose(option(label), "suite.values=program");
        OperatorGraph graph = TfChecks.graph(workload(settings), settings.suite());
        assertThat(workload(settings).label()).isEqualTo(label);
        assertThat(workload(settings).batch(settings.suite())).isEqualTo(Integer.parseInt(batch));
        assertThat(graph.parameters()).isEqualTo(Long.parseLong(parameters));
        assertThat(graph.forwardFlops() / 1e6).isCloseTo(Double.parseDouble(fwd), within(0.00501));
        assertThat(graph.trainFlops() / 1e6).isCloseTo(Double.parseDouble(train), within(0.00501));
    }

    @ParameterizedTest
    @MethodSource("table")
    void usesTheDefaultsOfTheTable(
            String script, String label, String device, String precision, String xla, String batch) {
        WorkloadStageSettings settings = compose(option(label));
        TfWorkload workload = workload(settings);
        assertThat(workload.script()).isEqualTo(script);
        assertThat(workload.label()).isEqualTo(label);
        assertThat(workload.runtime().device().name()).isEqualTo(device);
        assertThat(workload.train().precision().name()).isEqualTo(precision.toUpperCase(Locale.ROOT));
        assertThat(workload.xla(settings.suite())).isEqualTo(xla.equals("On"));
        assertThat(workload.batch(settings.suite())).isEqualTo(Integer.parseInt(batch));
    }

    @Test
    void findsEightHostFunctionsInThePrograms() throws IOException {
        long hosts = 0;
        for (String[] row : programs()) {
            WorkloadStageSettings settings = compose(option(row[0]), "suite.values=program");
            hosts += workload(settings).host(settings.suite()).stream().count();
        }
        assertThat(hosts).isEqualTo(8);
        WorkloadStageSettings table = compose("workload=tf/generator_a");
        assertThat(workload(table).host(table.suite())).contains("fft_real");
    }

    @ParameterizedTest
    @MethodSource("programs")
    void writesFilesThatTheSimulatorsRead(String label, String batch, String parameters, String fwd, String train)
            throws IOException {
        Path out = Files.createDirectories(
                Jimfs.newFileSystem(Configuration.unix()).getPath("/out"));
        FakeContext context = new FakeContext(out, Path.of("").toAbsolutePath());
        WorkloadStageSettings settings = compose(option(label), "suite.values=program", "workload.npus=2");
        new WorkloadStage().check(settings, context.home());
        new WorkloadStage().run(settings, context);
        double macs = TopologyReader.rows(out.resolve("topology.csv"), true, ScaleSimCompat.NONE).stream()
                .mapToDouble(row -> (double) row.layer().macs() * row.products())
                .sum();
        boolean isSparse = label.equals("RNN-E");
        assertThat(2 * macs / 1e6).isCloseTo(Double.parseDouble(train), within(isSparse ? 4 : 0.00501));
        assertThat(MnkReader.read(out.resolve("mnk.csv"), "DATA", new Cluster(1, 1), false))
                .isNotEmpty();
        assertThat(out.resolve("tf.1.et")).hasSameBinaryContentAs(out.resolve("tf.0.et"));
        assertThat(context.headlines).containsEntry("parameters", Double.parseDouble(parameters));
        assertThat(Files.readString(out.resolve("summary.md"))).contains(label);
    }

    @Test
    void prefersAnOverrideToBothSources() {
        WorkloadStageSettings settings =
                compose("workload=tf/mlp_b", "suite.values=program", "workload.batch=7", "workload.xla=false");
        assertThat(workload(settings).batch(settings.suite())).isEqualTo(7);
        assertThat(workload(settings).xla(settings.suite())).isFalse();
    }

    @Test
    void reportsAllErrorsOfAnEntry() {
        WorkloadStageSettings settings = compose(
                "workload=tf/mlp_d",
                "workload.net=['dense 512 rellu','densee 10','dense','conv 0 3']",
                "workload.data.ops=['scael 1.5']",
                "workload.special=['accumulate']",
                "compat=vidur");
        assertThatThrownBy(() -> new WorkloadStage().check(settings, Path.of("")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("workload.net.0")
                .hasMessageContaining("did you mean 'relu'?")
                .hasMessageContaining("unknown layer 'densee'")
                .hasMessageContaining("UNITS is missing")
                .hasMessageContaining("found '0'")
                .hasMessageContaining("unknown verb 'scael'")
                .hasMessageContaining("STEPS is missing")
                .hasMessageContaining("names 'scale'")
                .hasMessageContaining("compat");
    }

    @Test
    void reportsTheLineOfAnInvalidLayer() {
        assertThatThrownBy(() -> new WorkloadStage()
                        .check(compose("workload=tf/mlp_a", "workload.net=['dense 512','conv 8 3']"), Path.of("")))
                .hasMessageContaining("workload.net.1")
                .hasMessageContaining("takes an image (height x width x channels), but its input is 512");
        assertThatThrownBy(() ->
                        new WorkloadStage().check(compose("workload=tf/mlp_a", "workload.net=['add x']"), Path.of("")))
                .hasMessageContaining("no earlier save names");
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertEveryKeyNonDefault(new WorkloadStageSettings(
                KeyRecord.of(
                        TfWorkload.class,
                        Map.ofEntries(
                                entry("label", "L"),
                                entry("script", "s.py"),
                                entry("family", TfWorkload.Family.CNN),
                                entry("batch", Optional.of(3)),
                                entry("xla", Optional.of(true)),
                                entry("seed", 7),
                                entry("table", new TfWorkload.Values(2, true, Optional.of("v"))),
                                entry(
                                        "program",
                                        new TfWorkload.Differing(Optional.of(4), Optional.of(true), Optional.of("w"))),
                                entry(
                                        "data",
                                        KeyRecord.of(
                                                TfWorkload.Data.class,
                                                Map.ofEntries(
                                                        entry("source", TfWorkload.Source.BYTES),
                                                        entry("element", List.of(2)),
                                                        entry("elements", Optional.of(5)),
                                                        entry("labels", TfWorkload.Labels.INPUT),
                                                        entry("classes", Optional.of(6)),
                                                        entry("vocabulary", Optional.of(7)),
                                                        entry("ops", List.of("v")),
                                                        entry("input", List.of(3)),
                                                        entry("parallelCalls", Optional.of(8)),
                                                        entry("shuffle", Optional.of(9)),
                                                        entry("cache", true),
                                                        entry("repeat", false),
                                                        entry("prefetch", Optional.of(10)),
                                                        entry("prefetchToDevice", true)))),
                                entry("net", List.of("dense 3")),
                                entry(
                                        "train",
                                        new TfWorkload.Train(
                                                Optimizer.ADAMW,
                                                0.5,
                                                TfWorkload.Loss.MSE,
                                                TfWorkload.Precision.MIXED_FLOAT16,
                                                2,
                                                3,
                                                TfWorkload.Callback.BEGIN,
                                                false)),
                                entry("runtime", new TfWorkload.Runtime(TfWorkload.Device.GPU, 2, 3)),
                                entry("special", List.of("map_sum")),
                                entry("hardware", Optional.of(EveryKey.hardware())),
                                entry("npus", 8))),
                new ArrivalSettings.Fixed(2, 3),
                CompatMode.CHAKRA,
                new SuiteSettings(SuiteSettings.Values.PROGRAM)));
    }
}
