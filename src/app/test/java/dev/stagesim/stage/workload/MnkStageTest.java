package dev.stagesim.stage.workload;

import static java.util.Map.entry;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.sim.mnk.TransformerPhase;
import dev.stagesim.stage.Checks;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.systolic.MnkWorkload;
import dev.stagesim.systolic.MnkWorkload.Compute;
import dev.stagesim.workload.ArrivalSettings;
import dev.stagesim.workload.CompatMode;
import dev.stagesim.workload.SuiteSettings;
import dev.stagesim.workload.WorkloadStageSettings;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

final class MnkStageTest {
    private static final Path HOME = Path.of("").toAbsolutePath();

    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private Optional<Path> mnk = Optional.empty();
    private Optional<ModelCard> model = Optional.empty();
    private Optional<Integer> batch = Optional.empty();
    private Optional<Integer> sequence = Optional.empty();
    private Optional<TransformerPhase> phase = Optional.empty();
    private Optional<Integer> numLayers = Optional.empty();
    private String parallel = "DATA";
    private int processors = 8;
    private Compute compute = Compute.SCALE_SIM;
    private Optional<Path> array = Optional.empty();
    private Optional<Integer> peak = Optional.empty();
    private Optional<Integer> bandwidth = Optional.empty();
    private Optional<Path> table = Optional.empty();
    private CompatMode compat = CompatMode.NONE;

    private WorkloadStageSettings settings() {
        MnkWorkload workload = KeyRecord.of(
                MnkWorkload.class,
                Map.ofEntries(
                        entry("mnk", mnk),
                        entry("model", model),
                        entry("batch", batch),
                        entry("sequence", sequence),
                        entry("phase", phase),
                        entry("numLayers", numLayers),
                        entry("parallel", parallel),
                        entry("numNpus", processors),
                        entry("compute", compute),
                        entry("scalesimConfig", array),
                        entry("peak", peak),
                        entry("bandwidth", bandwidth),
                        entry("table", table)));
        return new WorkloadStageSettings(
                workload, new ArrivalSettings.Poisson(1), compat, new SuiteSettings(SuiteSettings.Values.TABLE));
    }

    private Path file(String name, String text) throws IOException {
        return Files.writeString(files.getPath("/").resolve(name), text);
    }

    private Path run() throws IOException {
        Path out = Files.createTempDirectory(Files.createDirectories(files.getPath("/runs")), "run");
        new WorkloadStage().run(settings(), new FakeContext(out, HOME));
        return out;
    }

    private String workload() throws IOException {
        return Files.readString(run().resolve("workload.txt"));
    }

    private void small() throws IOException {
        mnk = Optional.of(file("own.csv", "Layer,m,n,k\nproj,64,48,40\n"));
        array = Optional.of(
                file(
                        "arch.cfg",
                        """
                [general]
                run_name = x
                [architecture_presets]
                ArrayHeight: 8
                ArrayWidth: 8
                IfmapSramSzkB: 64
                FilterSramSzkB: 64
                OfmapSramSzkB: 64
                IfmapOffset: 0
                FilterOffset: 10000000
                OfmapOffset: 20000000
                Dataflow: os
                [run_presets]
                InterfaceBandwidth: CALC
                """));
    }

    @Test
    void countsCyclesPerPassExceptInReferenceMode() throws IOException {
        small();
        Path out = run();
        assertThat(Files.readString(out.resolve("workload.txt")))
                .isEqualTo("DATA\n1\nproj\t-1\t323\tNONE\t0\t309\tNONE\t0\t659\tALLREDUCE\t3840\t100\tDATA");
        assertThat(Files.readString(out.resolve("outputs/DATA/test/own_weight_grad.csv")))
                .endsWith("proj,40,8,1,8,1,48,1,\n");
        compat = CompatMode.ASTRA;
        assertThat(workload()).contains("-1\t 659\tNONE\t0\t 659\tNONE\t0\t 659\tALLREDUCE\t3840");
    }

    /** Version 1 writes one report per pass, so the reference reads the cycles of each pass. */
    @ParameterizedTest
    @EnumSource(
            value = CompatMode.class,
            names = {"NONE", "ASTRA"})
    void countsEachPassAndWritesItsReportInVersionOne(CompatMode whose) throws IOException {
        small();
        compute = Compute.SCALE_SIM_V1;
        compat = whose;
        Path out = run();
        String[] cells = Files.readString(out.resolve("workload.txt")).split("\t", -1);
        String[] passes = {"fwd_pass", "inp_grad", "weight_grad"};
        for (int i = 0; i < passes.length; i++) {
            String report = Files.readString(out.resolve("outputs/DATA/test/own_" + passes[i] + "_cycles.csv"));
            assertThat(report).startsWith("Layer,\tCycles,\t% Utilization,\nproj,\t" + cells[2 + 3 * i] + ",\t");
        }
        assertThat(cells[2]).isNotEqualTo(cells[8]).doesNotContain(" ");
    }

    @ParameterizedTest
    @CsvSource({
        "SCALE_SIM_V1, USER, '', USER",
        "SCALE_SIM_V1, CALC, '[sparsity];SparsitySupport: true;OptimizedMapping: false;', sparsity",
        "SCALE_SIM_V1, CALC, '[layout];IfmapCustomLayout: true;', layout",
        "SCALE_SIM, USER, '[layout];IfmapCustomLayout: true;', layout"
    })
    void rejectsKeysOfOtherSourcesOfCycles(Compute source, String mode, String section, String what)
            throws IOException {
        small();
        compute = source;
        Path file = array.orElseThrow();
        String bandwidth = mode.equals("USER") ? "Bandwidth: 4\n" : "";
        Files.writeString(
                file,
                Files.readString(file)
                        .replace("[run_presets]", bandwidth + section.replace(";", "\n") + "[run_presets]")
                        .replace("CALC", mode));
        assertThatThrownBy(this::run).isInstanceOf(StageException.class).hasMessageContaining(what);
    }

    @Test
    void usesTheSlowerOfArithmeticAndMemoryWithRoofline() throws IOException {
        small();
        array = Optional.empty();
        compute = Compute.ROOFLINE;
        peak = Optional.of(10);
        bandwidth = Optional.of(1_000_000);
        // 8 x 40 x 48 multiply-accumulates at 10 per cycle.
        assertThat(workload()).contains("proj\t-1\t1536\t");
        peak = Optional.of(1_000_000);
        bandwidth = Optional.of(4);
        // 8 x 40 + 40 x 48 + 8 x 48 values of 2 bytes at 4 bytes per cycle.
        assertThat(workload()).contains("proj\t-1\t1312\t");
    }

    @Test
    void readsMeasuredCyclesByName() throws IOException {
        small();
        array = Optional.empty();
        compute = Compute.TABLE;
        table = Optional.of(file("cycles.csv", "name,forward,input_gradient,weight_gradient\nproj,11,22,33\n"));
        assertThat(workload()).contains("proj\t-1\t11\tNONE\t0\t22\tNONE\t0\t33\tALLREDUCE");
        table = Optional.of(file("cycles.csv", "name,forward,input_gradient,weight_gradient\nother,1,2,3\n"));
        assertThatThrownBy(this::run).hasMessageContaining("there are no cycles of layer 'proj'");
    }

    @Test
    void derivesLayersOfATransformerFromItsCard() throws IOException {
        model = Optional.of(CardFiles.model("llama3_8b"));
        numLayers = Optional.of(2);
        parallel = "MODEL";
        assertThat(workload().lines())
                .hasSize(2 + 2 * 6 + 2)
                .element(3)
                .asString()
                .startsWith("layer0.qkv\t-1\t");
        phase = Optional.of(TransformerPhase.DECODE);
        assertThat(workload().lines().skip(2))
                .allSatisfy(line -> assertThat(line).endsWith("\t0\tNONE\t0\t0\tNONE\t0\t100\tMODEL"));
        assertThat(new WorkloadStage().ignoredSections(settings())).containsExactly("arrival", "suite");
    }

    @Test
    void warnsOfCardFeaturesThatAreNotModelled() throws IOException {
        model = Optional.of(CardFiles.model("llama3_8b", new String[] {"model.index_topk=2048", "model.weights=fp8"}));
        numLayers = Optional.of(1);
        FakeContext context = new FakeContext(Files.createDirectories(files.getPath("/out")), HOME);
        new WorkloadStage().run(settings(), context);
        assertThat(context.warnings)
                .hasSize(2)
                .anyMatch(text -> text.contains("index_topk"))
                .anyMatch(text -> text.contains("storage"));
    }

    @Test
    void readsEmbeddingsAndAttentionFromTables() throws IOException {
        mnk = Optional.of(
                file("t.csv", "Layer,m,n,k,P,type,count\nemb,64,32,500,,EMBEDDING\nscore,16,16,8,,score,24\n"));
        compute = Compute.ROOFLINE;
        peak = Optional.of(1);
        // A look-up of 8 x 32 values of 2 bytes, read and written, at 128 bytes per cycle; then 3 products of 16 x 8 x
        // 16.
        assertThat(workload())
                .contains("emb\t-1\t8\tNONE")
                .contains("score\t-1\t6144\tNONE\t0\t12288\tNONE\t0\t0\tNONE");
    }

    @Test
    void rejectsKeysWithoutEffect() throws IOException {
        small();
        batch = Optional.of(4);
        peak = Optional.of(4);
        compat = CompatMode.VIDUR;
        assertProblems("workload.batch", "workload.peak", "compat");
        model = Optional.of(CardFiles.model("llama3_8b"));
        assertProblems("workload.peak", "workload.mnk", "compat");
        mnk = Optional.empty();
        parallel = "HYBRID_CUSTOMIZED";
        compat = CompatMode.ASTRA;
        numLayers = Optional.of(1000);
        assertProblems("workload.peak", "workload.num_layers", "workload.model", "workload.parallel");
    }

    @Test
    void rejectsSharesThatDoNotDivide() {
        model = Optional.of(CardFiles.model("llama3_8b"));
        numLayers = Optional.of(1);
        batch = Optional.of(3);
        sequence = Optional.of(5);
        assertThatThrownBy(this::run)
                .isInstanceOf(StageException.class)
                .hasMessageContaining("'layer0.qkv' (m 15, n 6144, count 1) is not divisible by 8 processors of DATA");
    }

    private void assertProblems(String... wheres) {
        ThrowingCallable check = () -> Checks.check(new WorkloadStage(), settings(), HOME);
        assertThatThrownBy(check).isInstanceOfSatisfying(StageException.class, e -> assertThat(e.problems())
                .extracting("where")
                .containsExactly((Object[]) wheres));
    }
}
