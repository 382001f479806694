package dev.stagesim.sweep.launch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.pipeline.SweepRuns;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.stage.Effort;
import java.util.List;
import org.junit.jupiter.api.Test;

final class JobQueueTest {
    private static PlannedJob job(int num, double work, long bytes, String... overrides) {
        return new PlannedJob(
                num,
                List.of(overrides),
                new SweepRuns.PlannedCost("", new Effort(work, bytes), List.of()),
                RunOptions.DEFAULT,
                () -> {
                    throw new IllegalStateException();
                });
    }

    @Test
    void startsSmallJobFirstAndRunsJobAboveTheLimitAlone() throws InterruptedException {
        PlannedJob big = job(0, 1, 80);
        PlannedJob huge = job(1, 1, 500);
        PlannedJob small = job(2, 1, 20);
        JobQueue queue = new JobQueue(List.of(big, huge, small), 100);
        assertThat(queue.take()).contains(big);
        assertThat(queue.take()).as("next to the first").contains(small);
        queue.ended(small);
        queue.ended(big);
        assertThat(queue.take()).contains(huge);
        queue.ended(huge);
        assertThat(queue.take()).isEmpty();
    }

    @Test
    void retriesJobOnceAfterAllOthersWhenItRanOutOfMemory() throws InterruptedException {
        PlannedJob first = job(0, 1, 1);
        PlannedJob second = job(1, 1, 1);
        JobQueue queue = new JobQueue(List.of(first, second), 100);
        assertThat(queue.take()).contains(first);
        assertThat(queue.retryAlone(first)).isTrue();
        queue.ended(first);
        assertThat(queue.take()).contains(second);
        queue.ended(second);
        assertThat(queue.take()).contains(first);
        assertThat(queue.retryAlone(first)).isFalse();
        queue.ended(first);
        assertThat(queue.take()).isEmpty();
    }
}
