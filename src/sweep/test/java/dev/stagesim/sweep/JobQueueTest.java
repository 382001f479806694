package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.pipeline.RunOptions;
import dev.stagesim.pipeline.SweepRuns;
import dev.stagesim.stage.Effort;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class JobQueueTest {
    private static PlannedJob job(int num, double work, long bytes, String... overrides) {
        return new PlannedJob(
                num,
                List.of(overrides),
                new SweepRuns.Question("", new Effort(work, bytes)),
                RunOptions.DEFAULT,
                () -> {
                    throw new IllegalStateException();
                });
    }

    @Test
    void aJobThatFitsPassesOneThatDoesNotAndAGreatOneRunsAlone() throws InterruptedException {
        PlannedJob big = job(0, 1, 80);
        PlannedJob huge = job(1, 1, 500);
        PlannedJob small = job(2, 1, 20);
        JobQueue queue = new JobQueue(List.of(big, huge, small), 100);
        assertThat(queue.take()).contains(big);
        assertThat(queue.take()).as("beside the first").contains(small);
        queue.ended(small);
        queue.ended(big);
        assertThat(queue.take()).contains(huge);
        queue.ended(huge);
        assertThat(queue.take()).isEmpty();
    }

    @Test
    void aJobThatRanOutOfMemoryIsTriedOnceMoreWhenAllOthersAreDone() throws InterruptedException {
        PlannedJob first = job(0, 1, 1);
        PlannedJob second = job(1, 1, 1);
        JobQueue queue = new JobQueue(List.of(first, second), 100);
        assertThat(queue.take()).contains(first);
        assertThat(queue.again(first)).isTrue();
        queue.ended(first);
        assertThat(queue.take()).contains(second);
        queue.ended(second);
        assertThat(queue.take()).contains(first);
        assertThat(queue.again(first)).isFalse();
        queue.ended(first);
        assertThat(queue.take()).isEmpty();
    }

    @Test
    void estimatesLearnTheRateAndWhatAnOverrideCosts(@TempDir Path cache) throws Exception {
        DurationEstimator fresh = DurationEstimator.read(cache, "sum");
        assertThat(fresh.seconds(job(0, 30, 1, "scheduler=a"))).isEqualTo(30);
        for (int i = 0; i < 20; i++) {
            fresh.learn(job(0, 10, 1, "scheduler=a"), 1);
            fresh.learn(job(0, 10, 1, "scheduler=b"), 4);
        }
        fresh.save();
        DurationEstimator known = DurationEstimator.read(cache, "sum");
        double a = known.seconds(job(0, 100, 1, "scheduler=a"));
        double b = known.seconds(job(0, 100, 1, "scheduler=b"));
        assertThat(b / a).isBetween(3.5, 4.0);
        assertThat(known.seconds(job(0, 100, 1, "scheduler=new"))).isBetween(a, b);
        assertThat(known.seconds(job(0, 200, 1, "scheduler=new")))
                .isEqualTo(2 * known.seconds(job(0, 100, 1, "scheduler=new")));
        assertThat(DurationEstimator.read(cache, "other").seconds(job(0, 2, 1))).isEqualTo(2);
    }
}
