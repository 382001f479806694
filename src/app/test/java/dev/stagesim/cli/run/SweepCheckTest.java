package dev.stagesim.cli.run;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.Key;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.StageContext;
import dev.stagesim.stage.StageSpec;
import dev.stagesim.stage.Upstream;
import dev.stagesim.sweep.Manifest;
import dev.stagesim.sweep.Sweep;
import dev.stagesim.sweep.launch.LaunchOptions;
import dev.stagesim.sweep.launch.LauncherSettings;
import dev.stagesim.sweep.launch.Launchers;
import dev.stagesim.sweep.launch.PlannedJob;
import java.nio.file.Path;
import java.time.Clock;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

final class SweepCheckTest {
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/work");
    private final Sample sample = new Sample();
    private final Pipeline pipeline =
            new Pipeline(new StageRegistry(List.of(sample)), dir, dir, PipelineListener.NONE, Clock.systemUTC());
    private final ConcurrentMap<List<String>, Integer> composed = new ConcurrentHashMap<>();

    record Settings(@Key("Size. | 1") int size) {}

    /** A stage without artifacts. */
    private static final class Sample implements Stage<Settings> {
        private final AtomicInteger checks = new AtomicInteger();

        @Override
        public StageSpec<Settings> spec() {
            return new StageSpec<>("sample", "Sample.", Settings.class, List::of, 1, true);
        }

        @Override
        public List<Upstream> upstreams(Settings settings) {
            return List.of();
        }

        @Override
        public void check(Settings settings, Path home) {
            checks.incrementAndGet();
        }

        @Override
        public void run(Settings settings, StageContext context) {
            context.headline("size", settings.size());
        }
    }

    private RunRequest compose(List<String> job) {
        composed.merge(job, 1, Integer::sum);
        MapNode tree = SettingsSchema.of(Settings.class).defaults();
        return RunRequest.of(tree, job);
    }

    @Test
    void composesAndPlansAKeptJobOnce() {
        List<List<String>> jobs = List.of(List.of("repeat=0"), List.of("repeat=1"), List.of("repeat=2"));
        List<PlannedJob> planned = new SweepJobs.SweepCheck(pipeline, sample, this::compose, 2).plan(jobs, false);
        assertThat(planned).extracting(job -> job.question().digest()).doesNotHaveDuplicates();
        assertThat(composed.values()).containsOnly(1);
        var result = Sweep.run(
                pipeline,
                Manifest.of(sample, planned),
                Launchers.of(new LauncherSettings.Local(Optional.empty(), Optional.empty())),
                LaunchOptions.DEFAULT,
                (job, progress) -> {});
        assertThat(sample.checks).as("a kept job is planned once").hasValue(4);
        assertThat(composed)
                .containsEntry(jobs.get(0), 1)
                .containsEntry(jobs.get(1), 1)
                .containsEntry(jobs.get(2), 2);
        assertThat(result.jobs())
                .extracting(job -> job.run().orElseThrow().runId())
                .as("each repetition is a separate run")
                .doesNotHaveDuplicates();
    }
}
