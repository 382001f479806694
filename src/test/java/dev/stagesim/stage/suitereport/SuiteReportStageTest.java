package dev.stagesim.stage.suitereport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.bind.SettingsContract;
import dev.stagesim.contract.SuiteTables;
import dev.stagesim.io.csv.TableWriter;
import dev.stagesim.stage.FakeContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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

    /** A run with one layer of a class; the roofline is 1000 ns. */
    private void measured(int number, String label, String family, String hashes, long measuredNs) throws IOException {
        Path run = Files.createDirectories(out.resolve("run" + number));
        Files.writeString(
                run.resolve("framework.json"),
                ("{'label':'" + label + "','family':'" + family + "','substitutions':['device: x'],'loss_sha256':["
                                + hashes + "]}")
                        .replace('\'', '"'));
        try (TableWriter rows = TableWriter.create(run.resolve(SuiteTables.STEPS.name()), SuiteTables.STEPS)) {
            for (long process = 0; process < 2; process++) {
                for (String phase : List.of("train", "trace", "infer")) {
                    rows.put(process)
                            .put(0L)
                            .put(phase)
                            .put(2000 + 500 * process)
                            .put("1.0");
                    rows.putEmpty().put(4L).endRow();
                }
            }
        }
        try (TableWriter rows = TableWriter.create(run.resolve(SuiteTables.INPUTS.name()), SuiteTables.INPUTS)) {
            rows.put(0L).put(0L).put(300L).put(0L).endRow();
        }
        try (TableWriter rows = TableWriter.create(run.resolve(SuiteTables.OPS.name()), SuiteTables.OPS)) {
            rows.put("01_dense/MatMul")
                    .put("01_dense")
                    .put("forward")
                    .put("MatMul")
                    .put(1L);
            rows.put(measuredNs).put(measuredNs).endRow();
        }
        try (TableWriter rows = TableWriter.create(run.resolve(SuiteTables.LAYERS.name()), SuiteTables.LAYERS)) {
            rows.put("01_dense")
                    .put("forward")
                    .put("matmul")
                    .put(measuredNs)
                    .put(10L)
                    .put(10L);
            rows.put(1000.0).put(700.0).endRow();
        }
        context.with("run_" + number, run, "real_bench");
    }

    @Test
    void aFamilyIsPredictedFromTheOthers() throws IOException {
        measured(0, "MLP-A", "mlp", "'a','a'", 2000);
        measured(1, "CNN-A", "cnn", "'b','c'", 4000);
        new SuiteReportStage().run(settings(2), context);
        List<String> rows = Files.readAllLines(out.resolve(SuiteTables.REPORT.name()));
        // CNN-A takes 4 rooflines; MLP-A, on which it is fitted, says 2: off by 2, the bare roofline by 4.
        assertThat(rows.get(1)).isEqualTo("CNN-A,cnn,2250.0,300.0,2250.0,0.25,4000.0,1000.0,700.0,2000.0,4.0,2.0");
        assertThat(rows.get(2)).startsWith("MLP-A,mlp,").endsWith(",4000.0,2.0,2.0");
        // Two layers, 2000 ns of roofline over 6000 measured.
        assertThat(Files.readAllLines(out.resolve(SuiteTables.CLASSES.name())).get(1))
                .startsWith("matmul,2,0.333");
        assertThat(Files.readString(out.resolve("report.html")))
                .contains("1 had the same losses")
                .contains("01_dense/MatMul (MatMul)")
                .contains("device: x");
        assertThat(context.headlines).containsEntry("workloads", 2.0).containsEntry("equal_losses", 1.0);
    }

    @Test
    void nothingIsFittedOnTheFamilyItself() throws IOException {
        measured(0, "MLP-A", "mlp", "'a'", 2000);
        measured(1, "MLP-B", "mlp", "'a'", 2000);
        new SuiteReportStage().run(settings(2), context);
        assertThat(Files.readAllLines(out.resolve(SuiteTables.REPORT.name())).get(1))
                .endsWith(",1000.0,700.0,,2.0,");
    }

    @Test
    void runsOfOtherThingsAreRefused() throws IOException {
        context.with("run_0", Files.createDirectories(out.resolve("other")), "real_bench");
        assertThatThrownBy(() -> new SuiteReportStage().run(settings(1), context))
                .hasMessageContaining("measures no workload of the suite");
        assertThatThrownBy(() -> new SuiteReportStage().check(settings(0), Path.of("")))
                .hasMessageContaining("report.runs");
        assertThat(new SuiteReportStage().upstreams(settings(2))).hasSize(2);
    }

    @Test
    void keys() {
        SettingsContract.assertDefaults(new SuiteReportSettings(new SuiteReportSettings.Report(List.of(), 20_000)));
        SettingsContract.assertEveryKeyNonDefault(settings(1));
    }
}
