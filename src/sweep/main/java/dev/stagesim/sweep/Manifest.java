package dev.stagesim.sweep;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.Pipeline;
import dev.stagesim.pipeline.store.Digests;
import dev.stagesim.pipeline.store.IoErrors;
import dev.stagesim.stage.Stage;
import dev.stagesim.sweep.launch.PlannedJob;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;

/**
 * The jobs of a sweep in order, with the digests of their settings and inputs. The results depend on nothing else.
 *
 * @param stage the stage of the jobs
 * @param jobs the jobs; the k-th has the number k
 * @param id identifies the sweep; equal for equal jobs on every machine
 */
public record Manifest(Stage<?> stage, List<PlannedJob> jobs, String id) {
    static final String FILE = "sweep.json";
    private static final int HEX_DIGITS = 10;

    public Manifest {
        jobs = List.copyOf(jobs);
        for (int i = 0; i < jobs.size(); i++) {
            if (jobs.get(i).num() != i) {
                throw new IllegalArgumentException("job " + jobs.get(i).num() + " at " + i);
            }
        }
    }

    /** Creates a manifest with the id of its content. */
    public static Manifest of(Stage<?> stage, List<PlannedJob> jobs) {
        String content = Json.compact(describe(stage, jobs));
        return new Manifest(stage, jobs, "sweep-" + Digests.sha256(content).substring(0, HEX_DIGITS));
    }

    String stageName() {
        return stage.spec().name();
    }

    /** Returns the numbers of the jobs that no launch in the pipeline's working directory has finished. */
    public Set<Integer> unfinished(Pipeline pipeline) {
        try {
            Set<Integer> left = new TreeSet<>();
            jobs.forEach(job -> left.add(job.num()));
            SweepRecords.read(pipeline.sweeps().dir().resolve(id), this, pipeline)
                    .forEach((num, outcome) -> {
                        if (outcome.run().isPresent()) {
                            left.remove(num);
                        }
                    });
            return left;
        } catch (IOException e) {
            throw StageException.failed(IoErrors.problem("sweep failed", id, e), e);
        }
    }

    void write(Path dir) throws IOException {
        SweepFiles.write(dir.resolve(FILE), to -> Json.write(to, describe(stage, jobs)));
    }

    private static JsonValue describe(Stage<?> stage, List<PlannedJob> jobs) {
        return JsonValue.object()
                .put("stage", stage.spec().name())
                .put("jobs", JsonValue.of(jobs.stream().map(Manifest::describe).toList()))
                .build();
    }

    private static JsonValue describe(PlannedJob job) {
        return JsonValue.object()
                .put("overrides", JsonValue.strings(job.overrides()))
                .put("question", job.question().digest())
                .build();
    }
}
