package dev.stagesim.feature.scalesim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.feature.scalesim.ScaleSimSettings.ArchSettings;
import dev.stagesim.feature.scalesim.ScaleSimSettings.EnergySettings;
import dev.stagesim.feature.scalesim.ScaleSimSettings.Format;
import dev.stagesim.feature.scalesim.ScaleSimSettings.TopologySettings;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.workload.SuiteSettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Runs the shipped examples of features that need several files. */
final class ExamplesTest {
    private static final Path FILES = Path.of("configs", "scale_sim_files");

    private final Path out = Jimfs.newFileSystem(Configuration.unix()).getPath("/out");
    private final FakeContext context = new FakeContext(out, Path.of("").toAbsolutePath());

    private void run(String topology, Format format, String arch, Optional<Path> layout, Optional<Path> latencies)
            throws IOException {
        run(topology, format, arch, layout, latencies, ScaleSimCompat.NONE);
    }

    private void run(
            String topology,
            Format format,
            String arch,
            Optional<Path> layout,
            Optional<Path> latencies,
            ScaleSimCompat compat)
            throws IOException {
        Files.createDirectories(out);
        ScaleSimSettings settings = new ScaleSimSettings(
                new TopologySettings(FILES.resolve(topology + ".csv"), format, 1, layout, latencies),
                new ArchSettings(FILES.resolve(arch + ".cfg")),
                new EnergySettings("a table", 1, 2, 3),
                latencies.isPresent(),
                compat,
                Optional.empty(),
                new SuiteSettings(SuiteSettings.Values.TABLE));
        new ScaleSimStage().run(settings, context);
    }

    @Test
    void reducesTheEffortWhenFiltersAreSparse() throws IOException {
        run("bert_large_sparse", Format.GEMM, "ws_128_sparse", Optional.empty(), Optional.empty());
        double sparse = context.headlines.get("total_cycles");
        assertThat(Files.readAllLines(out.resolve("SPARSE_REPORT.csv"))).hasSize(5);
        assertThat(context.warnings).isEmpty();
        run("bert_large_sparse", Format.GEMM, "ws_128", ScaleSimCompat.V3);
        assertThat(context.headlines.get("total_cycles")).isBetween(2 * sparse, 4 * sparse);
        assertThatThrownBy(() -> run("bert_large_sparse", Format.GEMM, "ws_128", ScaleSimCompat.NONE))
                .hasMessageContaining("bert_large_sparse.csv:2")
                .hasMessageContaining("sparsity 2:4 has no effect")
                .hasMessageContaining("bert_large_sparse.csv:5");
    }

    private void run(String topology, Format format, String arch, ScaleSimCompat compat) throws IOException {
        run(topology, format, arch, Optional.empty(), Optional.empty(), compat);
    }

    @ParameterizedTest
    @CsvSource({
        "bert_large, os_128",
        "gpt3, ws_128",
        "bert_large, is_128",
        "bert_large_sparse, ws_128_sparse",
        "bert_large, ws_128_drawn"
    })
    void acceptsEveryShippedArrayInReferenceModes(String topology, String arch) throws IOException {
        run(topology, Format.GEMM, arch, ScaleSimCompat.NONE);
        List<String> ours = Files.readAllLines(out.resolve("layers.csv"));
        for (ScaleSimCompat compat : List.of(ScaleSimCompat.V2, ScaleSimCompat.V3)) {
            run(topology, Format.GEMM, arch, compat);
            // Reads products and sparsity in every compatibility mode.
            assertThat(Files.readAllLines(out.resolve("layers.csv"))).hasSameSizeAs(ours);
            assertThat(Files.readAllLines(out.resolve("COMPUTE_REPORT.csv")))
                    .hasSize(1
                            + ours.stream()
                                    .skip(1)
                                    .mapToInt(line -> Integer.parseInt(line.split(",", -1)[2]))
                                    .sum());
        }
    }

    @Test
    void countsBankConflictsWhenLayoutsAreCustom() throws IOException {
        run(
                "small_conv",
                Format.CONV,
                "os_16_layout",
                Optional.of(FILES.resolve("small_layout.csv")),
                Optional.empty());
        assertThat(context.headlines.get("stall_cycles")).isPositive();
    }

    @Test
    void delaysTheTraceWhenLatenciesAreReplayed() throws IOException {
        run("small_gemm", Format.GEMM, "ws_16_latencies", Optional.empty(), Optional.of(FILES.resolve("latencies")));
        assertThat(context.headlines.get("stall_cycles")).isPositive();
        // Delayed fetches arrive later than in an ideal memory, and out of order.
        long[] cycles = Files.readAllLines(out.resolve("layer0/IFMAP_DRAM_TRACE.csv")).stream()
                .mapToLong(line -> (long) Double.parseDouble(line.substring(0, line.indexOf(','))))
                .toArray();
        assertThat(cycles[cycles.length - 1] - cycles[0]).isGreaterThan(cycles.length);
    }
}
