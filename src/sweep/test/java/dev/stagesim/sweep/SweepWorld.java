package dev.stagesim.sweep;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.PipelineListener;
import dev.stagesim.pipeline.PlannedRun;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.TestStages;
import dev.stagesim.pipeline.request.RunOptions;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.sweep.launch.LaunchOptions;
import dev.stagesim.sweep.launch.Launcher;
import dev.stagesim.sweep.launch.PlannedJob;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** A working directory in memory. Sweeps over small stages can be launched, killed and copied there. */
public final class SweepWorld {
    public final TestStages.NumbersStage numbers = new TestStages.NumbersStage();
    public final TestStages.SumStage sum = new TestStages.SumStage();
    public final Path dir;

    private SweepWorld(Path dir) {
        this.dir = dir;
    }

    /** Locks reference their file systems, so the file systems must be emptied. */
    private static final List<FileSystem> OPEN = new ArrayList<>();

    public static SweepWorld empty() {
        FileSystem files = Jimfs.newFileSystem(
                Configuration.unix().toBuilder().setBlockSize(512).build());
        OPEN.add(files);
        return new SweepWorld(files.getPath("/work"));
    }

    public static void closeAll() throws IOException {
        for (FileSystem files : OPEN) {
            files.close();
        }
        OPEN.clear();
    }

    /** Returns a copy of all present files, as a process killed now would leave them. */
    public SweepWorld image() {
        SweepWorld copy = empty();
        if (!Files.exists(dir)) {
            return copy;
        }
        try (Stream<Path> all = Files.walk(dir)) {
            for (Path path : all.sorted().toList()) {
                Path to = copy.dir.resolve(dir.relativize(path).toString());
                if (Files.isDirectory(path)) {
                    Files.createDirectories(to);
                } else {
                    Files.copy(path, to);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return copy;
    }

    public Pipeline pipeline(PipelineListener listener) {
        return new Pipeline(new StageRegistry(List.of(numbers, sum)), dir, dir, listener, Clock.systemUTC());
    }

    public Manifest manifest(Pipeline pipeline, List<List<String>> jobs) {
        List<PlannedJob> planned = new ArrayList<>();
        for (List<String> job : jobs) {
            RunRequest request = TestStages.request(sum, job.toArray(String[]::new));
            PlannedRun<?> run = pipeline.plan(sum, request, RunOptions.DEFAULT);
            planned.add(
                    new PlannedJob(planned.size(), job, pipeline.sweeps().cost(run), RunOptions.DEFAULT, () -> run));
        }
        return Manifest.of(sum, planned);
    }

    public SweepResult sweep(Launcher launcher, List<List<String>> jobs) {
        return sweep(launcher, jobs, PipelineListener.NONE);
    }

    public SweepResult sweep(Launcher launcher, List<List<String>> jobs, PipelineListener listener) {
        Pipeline pipeline = pipeline(listener);
        return Sweep.run(pipeline, manifest(pipeline, jobs), launcher, LaunchOptions.DEFAULT, (job, progress) -> {});
    }

    /** Returns every file that depends only on the request by its path: tables, artifacts, digests of runs. */
    Map<String, String> content() throws IOException {
        Map<String, String> content = new TreeMap<>();
        Path tmp = dir.resolve("tmp");
        Pipeline pipeline = pipeline(PipelineListener.NONE);
        try (Stream<Path> all = Files.walk(tmp)) {
            for (Path path : all.filter(Files::isRegularFile).toList()) {
                String name = tmp.relativize(path).toString();
                boolean ours = !name.startsWith(".") && !name.contains("/config/") && !name.contains("/shards/");
                if (ours && name.endsWith("run_meta.json")) {
                    content.put(
                            name, pipeline.sweeps().finished(path.getParent()).sha256());
                } else if (ours) {
                    content.put(name, Files.readString(path));
                }
            }
        }
        return content;
    }
}
