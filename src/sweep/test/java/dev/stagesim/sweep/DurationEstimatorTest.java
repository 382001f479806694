package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.pipeline.SweepRuns;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.stage.Effort;
import dev.stagesim.sweep.launch.PlannedJob;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class DurationEstimatorTest {
    private static PlannedJob job(double work, String... overrides) {
        return new PlannedJob(
                0,
                List.of(overrides),
                new SweepRuns.PlannedCost("", new Effort(work, 1), List.of()),
                RunOptions.DEFAULT,
                () -> {
                    throw new IllegalStateException();
                });
    }

    @Test
    void estimatesTheRateAndTheFactorOfAnOverride(@TempDir Path cache) throws Exception {
        DurationEstimator fresh = DurationEstimator.read(cache, "sum");
        assertThat(fresh.seconds(job(30, "scheduler=a"))).isEqualTo(30);
        for (int i = 0; i < 20; i++) {
            fresh.learn(job(10, "scheduler=a"), 1);
            fresh.learn(job(10, "scheduler=b"), 4);
        }
        fresh.save();
        DurationEstimator known = DurationEstimator.read(cache, "sum");
        double a = known.seconds(job(100, "scheduler=a"));
        double b = known.seconds(job(100, "scheduler=b"));
        assertThat(b / a).isBetween(3.5, 4.0);
        assertThat(known.seconds(job(100, "scheduler=new"))).isBetween(a, b);
        assertThat(known.seconds(job(200, "scheduler=new"))).isEqualTo(2 * known.seconds(job(100, "scheduler=new")));
        assertThat(DurationEstimator.read(cache, "other").seconds(job(2))).isEqualTo(2);
    }
}
