package dev.stagesim.feature.scalesim;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.feature.scalesim.ScaleSimSettings.ArchSettings;
import dev.stagesim.feature.scalesim.ScaleSimSettings.EnergySettings;
import dev.stagesim.feature.scalesim.ScaleSimSettings.Format;
import dev.stagesim.feature.scalesim.ScaleSimSettings.TopologySettings;
import dev.stagesim.sim.systolic.spec.ScaleSimCompat;
import dev.stagesim.stage.Estimate;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.workload.SuiteSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Compares the predicted effort of layers with the effort of their simulation. */
final class LayerEffortTest {
    private static final Path ARCH = Path.of("tests-data/scalesim/v2_trace_calcflush_ws/arch.cfg");

    @TempDir
    private Path dir;

    private FakeContext run(String arch, String layers, boolean traces) throws IOException {
        Path out = Files.createTempDirectory(dir, "out");
        Path home = Path.of("").toAbsolutePath();
        ScaleSimSettings settings = new ScaleSimSettings(
                new TopologySettings(
                        Files.writeString(dir.resolve("t.csv"), "Layer,M,N,K,Products,\n" + layers),
                        Format.GEMM,
                        1,
                        Optional.empty(),
                        Optional.empty()),
                new ArchSettings(Files.writeString(dir.resolve("a.cfg"), arch)),
                new EnergySettings("a table", 1, 2, 3),
                traces,
                ScaleSimCompat.NONE,
                Optional.empty(),
                new SuiteSettings(SuiteSettings.Values.TABLE));
        FakeContext context = new FakeContext(out, home);
        new ScaleSimStage().run(settings, context);
        return context;
    }

    private static double bytes(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(file -> file.toString().endsWith("TRACE.csv")
                            || file.toString().endsWith("REPORT.csv"))
                    .mapToLong(file -> {
                        try {
                            return Files.size(file);
                        } catch (IOException e) {
                            throw new UncheckedIOException(e);
                        }
                    })
                    .sum();
        }
    }

    /** Draws the array, dataflow, bandwidth and layers. */
    @Test
    void predictsTheEffortOfTraces() throws IOException {
        SplittableRandom random = new SplittableRandom(16);
        for (int i = 0; i < 12; i++) {
            String mode = i % 2 == 0 ? "USER" : "CALC";
            String arch = Files.readString(ARCH)
                    .replaceAll("(ArrayHeight|ArrayWidth)\\s*:.*", "$1: " + random.nextInt(4, 30))
                    .replaceAll("SramSzkB:.*", "SramSzkB: 64")
                    .replaceAll("Dataflow\\s*:.*", "Dataflow: " + new String[] {"os", "ws", "is"}[random.nextInt(3)])
                    .replaceAll("InterfaceBandwidth\\s*:.*", "InterfaceBandwidth: " + mode);
            String layer = "a," + random.nextInt(30, 200) + "," + random.nextInt(30, 200) + ","
                    + random.nextInt(30, 200) + ",,\n";
            FakeContext context = run(arch, layer, true);
            Estimate expected = context.expected.get(0);
            double taken = bytes(context.out());
            assertThat(taken).as(mode + " " + layer + arch).isBetween(expected.diskBytes() / 8, expected.diskBytes());
            assertThat(expected.events()).isPositive();
            assertThat(context.progress).contains("layers 1/1");
        }
    }

    @Test
    void predictsTheEffortOfCyclesWhenTheBandwidthIsGiven() throws IOException {
        String calculated = Files.readString(ARCH);
        String given = calculated.replaceAll("InterfaceBandwidth\\s*:.*", "InterfaceBandwidth: USER");
        assertThat(run(calculated, "a,99,99,99,,\n", false).expected.get(0).events())
                .isZero();
        FakeContext followed = run(given, "a,99,99,99,,\n", false);
        assertThat(followed.expected.get(0).events())
                .isGreaterThan(followed.headlines.get("total_cycles") - followed.headlines.get("stall_cycles"));
        FakeContext many = run(calculated, "a,9,9,9,x5000,\n", false);
        assertThat(many.expected.get(0).diskBytes()).isGreaterThan(bytes(many.out()));
    }

    /** Memory contains the fetch order of one layer at a time, 16 bytes per word. */
    @Test
    void predictsTheMemoryOfTracesWhenTheBandwidthIsGiven() throws IOException {
        String given = Files.readString(ARCH).replaceAll("InterfaceBandwidth\\s*:.*", "InterfaceBandwidth: USER");
        double one = run(given, "a,20,30,40,,\n", true).expected.get(0).memoryBytes();
        assertThat(one).isEqualTo(16.0 * 40 * (20 + 30));
        assertThat(run(given, "a,20,30,40,,\nb,9,9,9,,\n", true).expected.get(0).memoryBytes())
                .isEqualTo(one);
        assertThat(run(given, "a,20,30,40,,\n", false).expected.get(0).memoryBytes())
                .isZero();
    }
}
