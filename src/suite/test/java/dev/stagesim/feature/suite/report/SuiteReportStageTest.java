package dev.stagesim.feature.suite.report;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.contract.SuiteTables;
import dev.stagesim.feature.suite.compare.SuiteRunFixture;
import dev.stagesim.stage.FakeContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class SuiteReportStageTest {
    private final Path out = Jimfs.newFileSystem(Configuration.unix()).getPath("/out");
    private final FakeContext context = new FakeContext(out, Path.of(""));

    private static SuiteReportSettings settings(int runs) {
        return new SuiteReportSettings(new SuiteReportSettings.Report(
                java.util.stream.IntStream.range(0, runs)
                        .mapToObj(i -> Path.of("run" + i))
                        .toList(),
                100));
    }

    @BeforeEach
    void create() throws IOException {
        Files.createDirectories(out);
    }

    private void measured(int number, SuiteRunFixture run) throws IOException {
        context.with("run_" + number, run.write(out.resolve("run" + number)), "real_bench");
    }

    private static SuiteRunFixture one(String label, String family, long measuredNs) {
        return new SuiteRunFixture(label, family).layer("01_dense", "forward", "matmul", measuredNs);
    }

    @Test
    void predictsAFamilyFromTheOthers() throws IOException {
        measured(0, one("MLP-A", "mlp", 2000));
        measured(1, one("CNN-A", "cnn", 4000).losses("b", "c").accounted(0.5));
        new SuiteReportStage().run(settings(2), context);
        List<String> rows = Files.readAllLines(out.resolve(SuiteTables.REPORT.name()));
        // CNN-A takes 4 rooflines and the fit on MLP-A predicts 2: a factor of 2; the roofline is off by 4.
        assertThat(rows.get(1))
                .isEqualTo("CNN-A,cnn,2250.0,300.0,2250.0,0.25,0.5,false,4000.0,1000.0,700.0,2000.0,4.0," + 4000.0 / 700
                        + ",2.0");
        assertThat(rows.get(2)).startsWith("MLP-A,mlp,").endsWith(",4000.0,2.0," + 2000.0 / 700 + ",2.0");
        // Two layers, 2000 ns of roofline over 6000 measured.
        assertThat(Files.readAllLines(out.resolve(SuiteTables.CLASSES.name())).get(1))
                .startsWith("matmul,2,0.333");
        assertThat(Files.readString(out.resolve("report.html")))
                .contains("losses differed between processes of 1.")
                .contains("Of 1 that one thread ran")
                .contains("01_dense/MatMul")
                .contains("families-t")
                .contains("device: x");
        assertThat(context.headlines).containsEntry("workloads", 2.0).containsEntry("equal_losses", 1.0);
    }

    @Test
    void excludesTheFamilyFromItsFit() throws IOException {
        measured(0, one("MLP-A", "mlp", 2000).losses("a"));
        measured(1, one("MLP-B", "mlp", 2000).losses("a"));
        new SuiteReportStage().run(settings(2), context);
        assertThat(Files.readAllLines(out.resolve(SuiteTables.REPORT.name())).get(1))
                .endsWith(",1000.0,700.0,,2.0," + 2000.0 / 700 + ",");
    }

    /** A compiled step has no layers to fit or compare. */
    @Test
    void comparesOnlyTheStepWhenItIsCompiled() throws IOException {
        measured(0, one("MLP-A", "mlp", 2000));
        measured(1, one("CNN-D", "cnn", 9000).compiled());
        new SuiteReportStage().run(settings(2), context);
        List<String> rows = Files.readAllLines(out.resolve(SuiteTables.REPORT.name()));
        assertThat(rows.get(1)).startsWith("CNN-D,").contains(",true,").endsWith(",2000.0,,,");
        assertThat(rows.get(2)).startsWith("MLP-A,").contains(",1000.0,700.0,,2.0,");
        assertThat(Files.readString(out.resolve("summary.md")))
                .contains("compiled (XLA)")
                .contains("per step only");
    }

    /** The order of runs does not change the bytes. */
    @Test
    void writesTheSameArtifactsTwice() throws IOException {
        measured(0, one("MLP-A", "mlp", 2000));
        measured(1, one("CNN-A", "cnn", 4000));
        new SuiteReportStage().run(settings(2), context);
        List<String> files = List.of("suite_workloads.csv", "suite_classes.csv", "report.html", "summary.md");
        List<byte[]> before = new ArrayList<>();
        for (String file : files) {
            before.add(Files.readAllBytes(out.resolve(file)));
        }
        measured(0, one("CNN-A", "cnn", 4000));
        measured(1, one("MLP-A", "mlp", 2000));
        new SuiteReportStage().run(settings(2), context);
        for (int i = 0; i < files.size(); i++) {
            assertThat(out.resolve(files.get(i))).hasBinaryContent(before.get(i));
        }
    }

    @Test
    void rejectsTwoRunsOfOneWorkload() throws IOException {
        measured(0, one("MLP-A", "mlp", 2000));
        measured(1, one("MLP-A", "mlp", 3000));
        assertThatThrownBy(() -> new SuiteReportStage().run(settings(2), context))
                .hasMessageContaining("more than one run of MLP-A")
                .hasMessageContaining("./stage compare");
    }

    @Test
    void rejectsRunsOfOtherStages() throws IOException {
        context.with("run_0", Files.createDirectories(out.resolve("other")), "real_bench");
        assertThatThrownBy(() -> new SuiteReportStage().run(settings(1), context))
                .hasMessageContaining("is not a measured suite workload");
        assertThatThrownBy(() -> new SuiteReportStage().check(settings(0), Path.of("")))
                .hasMessageContaining("report.runs");
        assertThat(new SuiteReportStage().upstreams(settings(2))).hasSize(2);
    }

    @Test
    void bindsEveryKey() {
        SettingsContract.assertDefaults(new SuiteReportSettings(new SuiteReportSettings.Report(List.of(), 20_000)));
        SettingsContract.assertEveryKeyNonDefault(settings(1));
    }
}
