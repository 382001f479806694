package dev.stagesim.sweep;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.feature.spark.FakeWorkers;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.sweep.launch.LaunchOptions;
import dev.stagesim.sweep.launch.Launcher;
import dev.stagesim.sweep.launch.LauncherSettings;
import dev.stagesim.sweep.launch.LauncherSettings.Assign;
import dev.stagesim.sweep.launch.Launchers;
import dev.stagesim.sweep.launch.Part;
import dev.stagesim.sweep.launch.PlannedJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** The results are the same bytes for every launcher, number of shards, order of jobs, failure and time of death. */
final class SweepBytesTest {
    /** Twelve jobs over three shared upstream runs. Two are equal, two always fail, one has a failing check. */
    private static final List<List<String>> JOBS = jobs();

    /** More results than a launch needs. */
    private static final int ENOUGH = 100_000;

    private static List<List<String>> jobs() {
        List<List<String>> jobs = new ArrayList<>();
        for (int i = 0; i < 12; i++) {
            String mode = i % 5 == 3 ? "throw" : i == 7 ? "check" : "run";
            jobs.add(List.of("sum.factor=" + i % 11, "numbers.count=" + (2 + i % 3), "sum.mode=" + mode));
        }
        return jobs;
    }

    static Launcher local(int threads) {
        return Launchers.of(new LauncherSettings.Local(Optional.of(threads), Optional.empty()));
    }

    static Launcher shard(int index, int count, Assign assign, int threads) {
        return Launchers.of(
                new LauncherSettings.Shard(index + "/" + count, assign, Optional.of(threads), Optional.empty()));
    }

    private static Map<String, String> reference() throws IOException {
        SweepWorld world = SweepWorld.empty();
        SweepResult result = world.sweep(local(1), JOBS);
        assertThat(result.with(JobStatus.FAILED)).hasSize(2);
        return world.content();
    }

    @Test
    void writesTheSameBytesWithAnyExecution() throws IOException {
        check(10, new Random(7));
    }

    @Test
    @Tag("long")
    void writesTheSameBytesWithAnyExecutionInManyTries() throws IOException {
        check(400, new Random(8));
    }

    /**
     * No other job completes the partial run of a job that always fails, because the workers run all jobs elsewhere.
     */
    @Test
    void deletesFilesOfAKilledFailure() throws IOException {
        SweepWorld world = SweepWorld.empty();
        Path left = Files.createDirectories(world.dir.resolve("tmp/sum/.sum-0123456789.partial"));
        Files.writeString(left.resolve("sum.txt"), "3\n");
        world.sweep(FakeWorkers.launcher(world, new Random(1), ENOUGH, false), JOBS);
        assertThat(world.content()).isEqualTo(reference());
    }

    private static void check(int tries, Random random) throws IOException {
        Map<String, String> expected = reference();
        assertThat(expected.keySet()).anyMatch(name -> name.endsWith("results.csv"));
        for (int i = 0; i < tries; i++) {
            SweepWorld world =
                    switch (random.nextInt(5)) {
                        case 0 -> alone(random);
                        case 1, 2 -> elsewhere(random);
                        default -> inParts(random);
                    };
            assertThat(world.content()).as("try %d", i).isEqualTo(expected);
            SweepWorld.closeAll();
        }
    }

    private static SweepWorld alone(Random random) {
        SweepWorld world = troubled(SweepWorld.empty(), local(1), random);
        world.sweep(local(1 + random.nextInt(4)), JOBS);
        return world;
    }

    /**
     * Runs workers that join and leave, a client that dies up to three times, and a launch of another kind in between.
     */
    private static SweepWorld elsewhere(Random random) {
        SweepWorld world = SweepWorld.empty();
        for (int i = random.nextInt(4); i > 0; i--) {
            if (random.nextInt(4) == 0) {
                world = killed(world, local(2), random);
                continue;
            }
            boolean isCut = random.nextBoolean();
            Launcher launcher = FakeWorkers.launcher(world, random, isCut ? random.nextInt(40) : ENOUGH, !isCut);
            try {
                world.sweep(launcher, JOBS);
            } catch (StageException cut) {
                assertThat(isCut).as(cut.getMessage()).isTrue();
            }
        }
        world.sweep(FakeWorkers.launcher(world, random, ENOUGH, false), JOBS);
        return world;
    }

    private static SweepWorld inParts(Random random) throws IOException {
        int count = 2 + random.nextInt(4);
        Assign assign = Assign.values()[random.nextInt(2)];
        boolean shared = random.nextBoolean();
        SweepWorld here = SweepWorld.empty();
        List<SweepWorld> worlds = new ArrayList<>();
        List<Integer> order = new ArrayList<>(IntStream.range(0, count).boxed().toList());
        Collections.shuffle(order, random);
        for (int index : order) {
            SweepWorld world = troubled(shared ? here : SweepWorld.empty(), shard(index, count, assign, 1), random);
            world.sweep(shard(index, count, assign, 1 + random.nextInt(3)), JOBS);
            here = shared ? world : here;
            worlds.add(world);
        }
        List<Path> dirs = shared
                ? List.of(here.dir)
                : worlds.stream().map(world -> world.dir).toList();
        SweepMerge.merge(here.pipeline(PipelineListener.NONE), dirs);
        return here;
    }

    /** Runs up to three launches that die, or with random failures of runs. */
    private static SweepWorld troubled(SweepWorld start, Launcher launcher, Random random) {
        SweepWorld world = start;
        for (int i = random.nextInt(4); i > 0; i--) {
            world = random.nextBoolean() ? killed(world, launcher, random) : unlucky(world, launcher, random);
        }
        return world;
    }

    private static SweepWorld killed(SweepWorld world, Launcher launcher, Random random) {
        AtomicInteger left = new AtomicInteger(random.nextInt(60));
        AtomicReference<SweepWorld> image = new AtomicReference<>(world);
        world.sweep(launcher, JOBS, new PipelineListener() {
            private void event() {
                if (left.getAndDecrement() == 0) {
                    image.set(world.image());
                }
            }

            @Override
            public void started(String stage, String runId) {
                event();
            }

            @Override
            public void progress(String stage, String what, long done, long total) {
                event();
            }

            @Override
            public void finished(dev.stagesim.pipeline.store.RunRef run) {
                event();
            }
        });
        return image.get() == world ? world.image() : image.get();
    }

    private static SweepWorld unlucky(SweepWorld world, Launcher launcher, Random random) {
        long seed = random.nextLong();
        AtomicInteger count = new AtomicInteger();
        world.sweep(launcher, JOBS, new PipelineListener() {
            @Override
            public void progress(String stage, String what, long done, long total) {
                if (new Random(seed + count.getAndIncrement()).nextInt(4) == 0) {
                    throw new IllegalStateException("bad luck");
                }
            }
        });
        return world;
    }

    @Test
    void assignsEveryJobToOneShard() {
        SweepWorld world = SweepWorld.empty();
        Manifest manifest = world.manifest(world.pipeline(PipelineListener.NONE), JOBS);
        for (Assign assign : Assign.values()) {
            for (PlannedJob job : manifest.jobs()) {
                assertThat(IntStream.range(0, 5)
                                .filter(index -> new Part(index, 5, assign).has(job))
                                .count())
                        .isEqualTo(1);
            }
        }
        // A job keeps its hash-based shard when another job is added before it.
        PlannedJob moved = new PlannedJob(
                9,
                JOBS.get(2),
                manifest.jobs().get(2).question(),
                manifest.jobs().get(2).options(),
                manifest.jobs().get(2).run());
        for (int index = 0; index < 5; index++) {
            Part part = new Part(index, 5, Assign.HASH);
            assertThat(part.has(moved)).isEqualTo(part.has(manifest.jobs().get(2)));
        }
    }

    @Test
    void listsMissingJobsAndWritesNothing() {
        SweepWorld world = SweepWorld.empty();
        world.sweep(shard(0, 3, Assign.ROUND_ROBIN, 1), JOBS);
        SweepWorld target = SweepWorld.empty();
        assertThatThrownBy(() -> SweepMerge.merge(target.pipeline(PipelineListener.NONE), List.of(world.dir)))
                .isInstanceOfSatisfying(StageException.class, error -> assertThat(
                                error.problems().get(0).render())
                        .contains("8 of 12 jobs are missing")
                        .contains("#1 sum.factor=1")
                        .contains("#11 "));
        assertThat(Files.exists(target.dir.resolve("tmp/sweeps"))).isFalse();
    }

    @Test
    void rejectsShardsOfOtherSweeps() {
        SweepWorld world = SweepWorld.empty();
        world.sweep(shard(0, 2, Assign.ROUND_ROBIN, 1), JOBS);
        SweepWorld other = SweepWorld.empty();
        other.sweep(shard(1, 2, Assign.ROUND_ROBIN, 1), JOBS.subList(0, 6));
        assertThatThrownBy(() -> SweepMerge.merge(world.pipeline(PipelineListener.NONE), List.of(world.dir, other.dir)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("belongs to a different sweep");
        assertThatThrownBy(
                        () -> SweepMerge.merge(world.pipeline(PipelineListener.NONE), List.of(SweepWorld.empty().dir)))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("contains no sweep");
    }

    @Test
    void keepsTheResultsOfOtherJobsWhenSomeAreLaunched() throws IOException {
        SweepWorld world = SweepWorld.empty();
        world.sweep(local(2), JOBS);
        Map<String, String> before = world.content();
        var pipeline = world.pipeline(PipelineListener.NONE);
        Manifest manifest = world.manifest(pipeline, JOBS);
        assertThat(manifest.unfinished(pipeline)).containsExactly(3, 8);
        int runs = world.sum.runs.get();
        LaunchOptions failed = new LaunchOptions(false, Optional.of(manifest.unfinished(pipeline)));
        SweepResult again = Sweep.run(pipeline, manifest, local(1), failed, (job, progress) -> {});
        assertThat(world.sum.runs.get() - runs).isEqualTo(2);
        assertThat(again.jobs()).hasSize(12);
        assertThat(world.content()).isEqualTo(before);
    }
}
