package dev.stagesim.feature.scalesim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.SchemaKeys;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.feature.scalesim.ScaleSimSettings.ArchSettings;
import dev.stagesim.feature.scalesim.ScaleSimSettings.EnergySettings;
import dev.stagesim.feature.scalesim.ScaleSimSettings.Format;
import dev.stagesim.feature.scalesim.ScaleSimSettings.TopologySettings;
import dev.stagesim.io.json.Json;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.workload.SuiteSettings;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ScaleSimStageTest {
    private static final Path CASE = Path.of("tests-data/scalesim/v2_trace_calcflush_ws");

    private final Path out = Jimfs.newFileSystem(Configuration.unix()).getPath("/out");
    private final FakeContext context = new FakeContext(out, Path.of("").toAbsolutePath());

    private ScaleSimSettings settings(int batch, Optional<Path> layout, ScaleSimCompat compat) {
        return settings(CASE.resolve("topology.csv"), batch, layout, compat);
    }

    private static ScaleSimSettings settings(Path topology, int batch, Optional<Path> layout, ScaleSimCompat compat) {
        return new ScaleSimSettings(
                new TopologySettings(topology, Format.GEMM, batch, layout, Optional.empty()),
                new ArchSettings(CASE.resolve("arch.cfg")),
                new EnergySettings("a table", 1, 2, 3),
                true,
                compat,
                Optional.empty(),
                new SuiteSettings(SuiteSettings.Values.TABLE));
    }

    @Test
    void writesTheReferencesReportsAndTraces() throws IOException {
        Files.createDirectories(out);
        new ScaleSimStage().run(settings(1, Optional.empty(), ScaleSimCompat.V2), context);
        for (String name : new String[] {
            "COMPUTE_REPORT.csv", "BANDWIDTH_REPORT.csv", "DETAILED_ACCESS_REPORT.csv", "layer0/IFMAP_DRAM_TRACE.csv"
        }) {
            assertThat(Files.readString(out.resolve(name)))
                    .isEqualTo(Files.readString(CASE.resolve("expected").resolve(name)));
        }
        assertThat(Files.readString(out.resolve("report.html"))).contains("Roofline");
        assertThat(Json.read(out.resolve("conditions.json")).get("engine").asString())
                .contains("v2");
        assertThat(context.headlines).containsEntry("total_cycles", 1619.0);
    }

    @Test
    void lengthensTheProductWithTheBatch() throws IOException {
        Files.createDirectories(out);
        new ScaleSimStage().run(settings(1, Optional.empty(), ScaleSimCompat.NONE), context);
        double one = context.headlines.get("total_cycles");
        new ScaleSimStage().run(settings(3, Optional.empty(), ScaleSimCompat.NONE), context);
        assertThat(context.headlines.get("total_cycles")).isGreaterThan(one);
    }

    private Throwable rejected(String table, int batch) throws IOException {
        Files.createDirectories(out);
        Path topology = Files.write(out.resolve("t.csv"), table.getBytes(StandardCharsets.ISO_8859_1));
        return catchThrowable(() ->
                new ScaleSimStage().run(settings(topology, batch, Optional.empty(), ScaleSimCompat.NONE), context));
    }

    @Test
    void rejectsLayersThatOverflow() throws IOException {
        assertThat(rejected("h\na,2000000000,2000000000,2000000000,\n", 1))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("layer 'a'")
                .hasMessageContaining("too large");
        assertThat(rejected("h\na,8,8,8,\n", 2_000_000_000))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("topology.batch");
        assertThat(rejected("h\na,99999999999,8,8,\n", 1))
                .hasMessageContaining("t.csv:2")
                .hasMessageContaining("up to 2147483647");
        assertThat(rejected("h\n,8,8,8,\n", 1)).hasMessageContaining("t.csv:2").hasMessageContaining("name");
        assertThat(rejected("h\na,8,8,8,\n\u00ff,8,8,8,\n", 1))
                .hasMessageContaining("t.csv:3")
                .hasMessageContaining("UTF-8");
    }

    @Test
    void runsBatchedProductsInSequence() throws IOException {
        Files.createDirectories(out);
        Path topology = Files.writeString(out.resolve("t.csv"), "Layer,M,N,K,Products\na,30,20,10,\nb,30,20,10,x4,\n");
        new ScaleSimStage().run(settings(topology, 2, Optional.empty(), ScaleSimCompat.NONE), context);
        List<String> layers = Files.readAllLines(out.resolve("layers.csv"));
        // A batch of 2 doubles the rows of layer a and the products of layer b.
        assertThat(layers.get(1)).startsWith("0,a,1,12000,");
        assertThat(layers.get(2)).startsWith("1,b,8,48000,");
        assertThat(Files.readAllLines(out.resolve("COMPUTE_REPORT.csv"))).hasSize(1 + 1 + 8);
        assertThat(out.resolve("layer1/IFMAP_SRAM_TRACE.csv")).exists();
    }

    @Test
    void writesADepthWiseLayerAsOneRow() throws IOException {
        Files.createDirectories(out);
        Path topology = Files.writeString(
                out.resolve("t.csv"), "Layer,H,W,R,S,C,N,Stride\nxDP,6,6,3,3,200,1,1,\ny,6,6,3,3,2,1,1,\n");
        ScaleSimSettings settings = new ScaleSimSettings(
                new TopologySettings(topology, Format.CONV, 1, Optional.empty(), Optional.empty()),
                new ArchSettings(CASE.resolve("arch.cfg")),
                new EnergySettings("a table", 1, 2, 3),
                false,
                ScaleSimCompat.V2,
                Optional.empty(),
                new SuiteSettings(SuiteSettings.Values.TABLE));
        new ScaleSimStage().run(settings, context);
        List<String> layers = Files.readAllLines(out.resolve("layers.csv"));
        assertThat(layers).hasSize(3);
        assertThat(layers.get(1)).startsWith("0,xDP,200," + 200 * 16 * 9 + ",");
        assertThat(Files.readAllLines(out.resolve("COMPUTE_REPORT.csv"))).hasSize(1 + 200 + 1);
    }

    @Test
    void rejectsSumsThatOverflow() throws IOException {
        assertThat(rejected("h\na,2000000000,2000,2000,x2000000000,\n", 1)).hasMessageContaining("exceed 64 bits");
    }

    @Test
    void multipliesCountsByEnergyPerAction() throws IOException {
        Files.createDirectories(out);
        new ScaleSimStage().run(settings(1, Optional.empty(), ScaleSimCompat.NONE), context);
        double sum = 0;
        for (String line : Files.readAllLines(out.resolve("energy.csv")).subList(1, 8)) {
            String[] cells = line.split(",", -1);
            assertThat(Double.parseDouble(cells[2]) * Double.parseDouble(cells[3]))
                    .isEqualTo(Double.parseDouble(cells[4]));
            sum += Double.parseDouble(cells[4]);
        }
        assertThat(context.headlines.get("energy_uj")).isCloseTo(sum / 1e6, within(1e-9));
        assertThat(Files.readString(out.resolve("report.html"))).contains("Energy per action: a table.");
    }

    @Test
    void reportsDifferencesFromTheReferenceWithReasons() throws IOException {
        Files.createDirectories(out);
        new ScaleSimStage().run(settings(1, Optional.empty(), ScaleSimCompat.NONE), context);
        String ours = Files.readString(out.resolve("summary.md"));
        assertThat(ours)
                .contains("Stagesim's own model")
                .contains("| Total cycles | 1,620 | 1,619 |")
                .contains("| Compute utilisation %, mean of layers |");
        new ScaleSimStage().run(settings(1, Optional.empty(), ScaleSimCompat.V2), context);
        assertThat(Files.readString(out.resolve("summary.md")))
                .contains("reproduce SCALE-Sim v2")
                .contains("| Total cycles | 1,620 | 1,619 |");
    }

    @Test
    void rejectsALayoutWithoutEffect() {
        assertThatThrownBy(() -> new ScaleSimStage()
                        .run(settings(1, Optional.of(Path.of("layout.csv")), ScaleSimCompat.NONE), context))
                .hasMessageContaining("no effect");
    }

    private static ScaleSimSettings composed(String... overrides) {
        ConfigEngine engine = ConfigEngine.open(List.of(new SearchRoot("main", Path.of("configs"))));
        ComposeRequest request = ComposeRequest.of("scale_sim", List.of(overrides))
                .withSchema(new SchemaKeys(SettingsSchema.of(ScaleSimSettings.class)));
        return Binder.bind(engine.compose(request).config(), ScaleSimSettings.class);
    }

    @Test
    void replacesTheTopologyByASuiteWorkload() throws IOException {
        Files.createDirectories(out);
        Path made = Files.createDirectory(out.resolve("made"));
        Files.writeString(made.resolve("topology.csv"), "Layer,M,N,K,Products,\na/x/forward,30,20,10,x4,\n");
        ScaleSimSettings settings = composed("workload=tf/mlp_a");
        ScaleSimStage stage = new ScaleSimStage();
        assertThat(stage.upstreams(settings)).hasSize(1);
        assertThat(stage.ignoredSections(settings)).containsExactly("topology");
        stage.check(settings, Path.of(""));
        stage.run(settings, context.with("workload", made, "workload"));
        assertThat(Files.readAllLines(out.resolve("layers.csv")).get(1)).startsWith("0,a/x/forward,4,24000,");
        assertThat(stage.upstreams(composed())).isEmpty();
        assertThatThrownBy(() -> stage.check(composed("workload=chakra_all_reduce"), Path.of("")))
                .hasMessageContaining("workload.kind");
    }
}
