package dev.stagesim.stage.scalesim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.sim.systolic.Compat;
import dev.stagesim.stage.FakeContext;
import dev.stagesim.stage.scalesim.ScaleSimSettings.ArchSettings;
import dev.stagesim.stage.scalesim.ScaleSimSettings.EnergySettings;
import dev.stagesim.stage.scalesim.ScaleSimSettings.Format;
import dev.stagesim.stage.scalesim.ScaleSimSettings.TopologySettings;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ScaleSimStageTest {
    private static final Path CASE = Path.of("tests-data/scalesim/v2_trace_calcflush_ws");

    private final Path out = Jimfs.newFileSystem(Configuration.unix()).getPath("/out");
    private final FakeContext context = new FakeContext(out, Path.of("").toAbsolutePath());

    private ScaleSimSettings settings(int batch, Optional<Path> layout, Compat compat) {
        return new ScaleSimSettings(
                new TopologySettings(CASE.resolve("topology.csv"), Format.GEMM, batch, layout, Optional.empty()),
                new ArchSettings(CASE.resolve("arch.cfg")),
                new EnergySettings(1, 2, 3),
                true,
                compat);
    }

    @Test
    void writesTheReferencesReportsAndTraces() throws IOException {
        Files.createDirectories(out);
        new ScaleSimStage().run(settings(1, Optional.empty(), Compat.V2), context);
        for (String name : new String[] {
            "COMPUTE_REPORT.csv", "BANDWIDTH_REPORT.csv", "DETAILED_ACCESS_REPORT.csv", "layer0/IFMAP_DRAM_TRACE.csv"
        }) {
            assertThat(Files.readString(out.resolve(name)))
                    .isEqualTo(Files.readString(CASE.resolve("expected").resolve(name)));
        }
        assertThat(Files.readString(out.resolve("report.html"))).contains("Roofline");
        assertThat(context.headlines).containsEntry("total_cycles", 1619.0);
    }

    @Test
    void aBatchLengthensTheProduct() throws IOException {
        Files.createDirectories(out);
        new ScaleSimStage().run(settings(1, Optional.empty(), Compat.NONE), context);
        double one = context.headlines.get("total_cycles");
        new ScaleSimStage().run(settings(3, Optional.empty(), Compat.NONE), context);
        assertThat(context.headlines.get("total_cycles")).isGreaterThan(one);
    }

    @Test
    void refusesALayoutThatHasNoEffect() {
        assertThatThrownBy(() ->
                        new ScaleSimStage().run(settings(1, Optional.of(Path.of("layout.csv")), Compat.NONE), context))
                .hasMessageContaining("no effect");
    }
}
