package dev.stagesim.feature.fabric;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.feature.fabric.performance.CoefficientFit;
import dev.stagesim.feature.fabric.performance.CoefficientFit.Observation;
import dev.stagesim.feature.fabric.performance.RunMetadata;
import dev.stagesim.feature.fabric.performance.SemiEmpiricalService;
import dev.stagesim.feature.fabric.performance.TargetCoefficients;
import dev.stagesim.feature.fabric.performance.TargetPlacement;
import dev.stagesim.sim.capacity.AcceleratorCoefficients;
import dev.stagesim.sim.capacity.CapacityJob;
import dev.stagesim.sim.capacity.CapacityKnobs;
import dev.stagesim.sim.capacity.CapacityNode;
import dev.stagesim.sim.capacity.SemiEmpirical;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CoefficientFitTest {
    /**
     * Returns runs of a machine with {@code base} seconds per token, and a tenth more per layer for each further
     * device.
     */
    private static List<Observation> runs(double base, double wobble) {
        List<Observation> runs = new ArrayList<>();
        for (int tp : new int[] {1, 2, 4, 8}) {
            double seconds = base * (1 + 0.1 * (tp - 1)) * (1 + wobble * (tp % 3 - 1));
            runs.add(new Observation("tp" + tp, tp, 1, tp, tp / seconds, 7));
        }
        return runs;
    }

    @Test
    void reproducesTheFittedRuns() {
        CoefficientFit fit = CoefficientFit.of(runs(0.001, 0), 0.95);
        FabricStageSettings settings = FabricRuns.settings();
        AcceleratorCoefficients card =
                fit.applied(TargetCoefficients.of(settings.machines().target(), settings.model(), true));
        for (int tp : new int[] {1, 2, 4, 8}) {
            double tokens = SemiEmpirical.steady(
                            card,
                            new CapacityNode(tp, 80, 0),
                            new CapacityJob(true, 100, 100, false, tp, 1, 1, 4096, 32),
                            new CapacityKnobs(1, false, false, false, 1))
                    .tokensPerSecond();
            assertThat(tokens).isCloseTo(tp / (0.001 * (1 + 0.1 * (tp - 1))), within(1e-6));
        }
        assertThat(fit.heldOutError()).isLessThan(1e-9);
    }

    @Test
    void widensTheRangeWhenRunsScatter() {
        assertThat(CoefficientFit.of(runs(0.001, 0.05), 0.95).sigma()).isGreaterThan(0.02);
        assertThat(CoefficientFit.of(runs(0.001, 0.1), 0.95).sigma())
                .isGreaterThan(CoefficientFit.of(runs(0.001, 0.05), 0.95).sigma());
    }

    @Test
    void replacesCoefficientsByMeasuredRuns() throws IOException {
        FabricRuns made = new FabricRuns();
        List<Path> runs = new ArrayList<>();
        for (int tp : new int[] {1, 2, 4}) {
            runs.add(MeasuredRuns.write(made.files.getPath("/run" + tp), "H100-SXM-80GB", tp, 50L / tp));
        }
        CoefficientFit fit = RunMetadata.fit(runs, 0.95, "H100-SXM-80GB");
        assertThat(fit.runs()).isEqualTo(3);
        FabricStageSettings settings = FabricRuns.settings();
        TargetPlacement one = new TargetPlacement(
                "h", settings.machines().target(), 1, 1, settings.serving().scheduler());
        SemiEmpiricalService service =
                new SemiEmpiricalService(settings.model(), MeasuredRuns.entry().tuning(), Optional.of(fit), 0.3, 0.1);
        double measured = 20 * 16 / (19 * 0.05 + 0.085);
        assertThat(service.capacity(one, 64, 16) * 16).isCloseTo(measured, within(0.25 * measured));
        assertThat(service.sigma(one)).isEqualTo(fit.sigma());
    }

    @Test
    void rejectsOtherHardwareAndTooFewRuns() throws IOException {
        try (FileSystem files = Jimfs.newFileSystem(Configuration.unix())) {
            Path run = MeasuredRuns.write(files.getPath("/run"), "A100", 1, 50);
            assertThatThrownBy(() -> RunMetadata.fit(List.of(run), 0.95, "H100"))
                    .hasMessageContaining("ran on A100");
            assertThatThrownBy(() -> RunMetadata.fit(List.of(run), 0.95, "A100"))
                    .hasMessageContaining("1 observations for 1 coefficients");
            assertThatThrownBy(() -> RunMetadata.read(files.getPath("/none")))
                    .hasMessageContaining("not a finished run");
        }
    }
}
