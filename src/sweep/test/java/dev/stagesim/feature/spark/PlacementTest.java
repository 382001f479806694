package dev.stagesim.feature.spark;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.pipeline.SweepRuns;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.stage.Effort;
import dev.stagesim.sweep.launch.PlannedJob;
import java.util.List;
import org.junit.jupiter.api.Test;

final class PlacementTest {
    private static PlannedJob job(int num, String... rests) {
        SweepRuns.PlannedCost question = new SweepRuns.PlannedCost("job" + num, Effort.UNKNOWN, List.of(rests));
        return new PlannedJob(num, List.of(), question, RunOptions.DEFAULT, () -> {
            throw new IllegalStateException();
        });
    }

    private static Placement.Task next(Placement placement, int job, boolean prepares, String... places) {
        Placement.Task task = placement.next().orElseThrow();
        assertThat(task.job().num()).isEqualTo(job);
        assertThat(task.prepares()).isEqualTo(prepares);
        assertThat(task.places()).containsExactly(places);
        return task;
    }

    @Test
    void executesASharedRunOnceAndPlacesItsJobsThere() {
        Placement placement = new Placement(List.of(job(0, "w1"), job(1, "w1"), job(2, "w2"), job(3, "w2"), job(4)));
        Placement.Task first = next(placement, 0, true);
        Placement.Task second = next(placement, 2, true);
        Placement.Task free = next(placement, 4, false);
        assertThat(placement.next()).as("the others depend on runs in progress").isEmpty();
        placement.ended(first, "one");
        next(placement, 0, false, "one");
        next(placement, 1, false, "one");
        assertThat(placement.next()).isEmpty();
        placement.ended(second, "two");
        placement.ended(free, "one");
        next(placement, 2, false, "two");
        next(placement, 3, false, "two");
        assertThat(placement.next()).isEmpty();
    }

    @Test
    void executesTheRunInItsOnlyJob() {
        Placement placement = new Placement(List.of(job(0, "a"), job(1, "b")));
        next(placement, 0, false);
        next(placement, 1, false);
    }

    @Test
    void prefersThePlaceWithMostInputs() {
        Placement placement =
                new Placement(List.of(job(0, "p", "w1"), job(1, "p", "w1"), job(2, "p", "w2"), job(3, "p", "w2")));
        placement.ended(next(placement, 0, true), "one");
        placement.ended(next(placement, 0, false, "one"), "one");
        placement.ended(next(placement, 1, false, "one"), "two");
        // Both workers have p, so either may run w2.
        placement.ended(next(placement, 2, true, "one", "two"), "two");
        next(placement, 2, false, "two");
        next(placement, 3, false, "two");
    }

    @Test
    void doesNotWaitForATaskWithoutAResult() {
        Placement placement = new Placement(List.of(job(0, "w"), job(1, "w")));
        placement.ended(next(placement, 0, true), "");
        next(placement, 0, false);
        next(placement, 1, false);
        assertThat(placement.next()).isEmpty();
    }
}
