package dev.stagesim.sweep;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonMode;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.StageException;
import dev.stagesim.sweep.launch.PlannedJob;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Predicts the duration of jobs from earlier jobs. The predictions determine the order of jobs and the reported
 * remaining time, but no result.
 *
 * <p>The predicted seconds are the stage's measure of work, times a rate, times a factor per override. Rate and factors
 * are geometric means over earlier jobs. The logarithm of a factor with n observations is weighted by n/(n+1).
 */
final class DurationEstimator {
    private static final int MAX_OBSERVATIONS = 2000;

    /** One finished job. */
    private record Past(List<String> overrides, double work, double seconds) {
        double logRate() {
            return Math.log(seconds / work);
        }
    }

    private final Path file;
    private final List<Past> past;
    private final List<Past> learned = new ArrayList<>();
    private final double logRate;
    private final Map<String, Double> logFactors = new HashMap<>();

    private DurationEstimator(Path file, List<Past> past) {
        this.file = file;
        this.past = past;
        this.logRate = past.stream().mapToDouble(Past::logRate).average().orElse(0);
        Map<String, Integer> seen = new HashMap<>();
        for (Past job : past) {
            for (String override : job.overrides()) {
                logFactors.merge(override, job.logRate() - logRate, Double::sum);
                seen.merge(override, 1, Integer::sum);
            }
        }
        logFactors.replaceAll((override, sum) -> sum / (seen.getOrDefault(override, 0) + 1));
    }

    /** Reads the observations of a stage. A missing or damaged file counts as empty. */
    static DurationEstimator read(Path cache, String stage) {
        Path file = cache.resolve("sweeps").resolve(stage + ".jsonl");
        List<Past> past = new ArrayList<>();
        if (Files.isRegularFile(file)) {
            try {
                for (LocatedJson at : Json.readAll(file, JsonMode.STRICT)) {
                    Past job = new Past(
                            at.get("overrides").asStrings(),
                            at.get("work").asDouble(),
                            at.get("seconds").asDouble());
                    if (job.work() > 0 && job.seconds() > 0) {
                        past.add(job);
                    }
                }
            } catch (IOException | StageException damaged) {
                past.clear();
            }
        }
        return new DurationEstimator(file, past);
    }

    /** Returns the predicted seconds of a job, or its measure of work if there are no observations. */
    double seconds(PlannedJob job) {
        double log = logRate;
        for (String override : job.overrides()) {
            log += logFactors.getOrDefault(override, 0.0);
        }
        return job.question().effort().work() * Math.exp(log);
    }

    /** Records the duration of a job. */
    synchronized void learn(PlannedJob job, double seconds) {
        if (seconds > 0) {
            learned.add(new Past(job.overrides(), job.question().effort().work(), seconds));
        }
    }

    /** Saves all observations. The oldest are dropped if there are too many. */
    synchronized void save() throws IOException {
        if (learned.isEmpty()) {
            return;
        }
        List<Past> all = new ArrayList<>(past);
        all.addAll(learned);
        List<JsonValue> lines = new ArrayList<>();
        for (Past job : all.subList(Math.max(0, all.size() - MAX_OBSERVATIONS), all.size())) {
            lines.add(JsonValue.object()
                    .put("overrides", JsonValue.strings(job.overrides()))
                    .put("work", job.work())
                    .put("seconds", job.seconds())
                    .build());
        }
        Files.createDirectories(file.getParent());
        SweepFiles.write(file, to -> Json.writeLines(to, lines));
    }
}
