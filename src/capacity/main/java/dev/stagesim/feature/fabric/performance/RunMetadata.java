package dev.stagesim.feature.fabric.performance;

import dev.stagesim.contract.JsonArtifact;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.io.measured.MeasurementDocument;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Metadata from {@code run_meta.json} of a run that is not an upstream run. */
public record RunMetadata(String runId, Optional<String> model, Optional<String> hardware, int tp, int pp, int copies) {
    public static RunMetadata read(Path directory) throws IOException {
        Path file = directory.resolve("run_meta.json");
        if (!Files.isRegularFile(file)) {
            throw StageException.input(
                    Problem.artifact(directory.toString(), "is not a finished run: it has no run_meta.json"));
        }
        LocatedJson meta = Json.read(file);
        Path measurement =
                directory.resolve(JsonArtifact.of(MeasurementDocument.class).name());
        Optional<LocatedJson> cluster = Files.isRegularFile(measurement)
                ? Json.read(measurement).find("settings")
                : meta.get("params").find("cluster");
        return new RunMetadata(
                meta.get("run_id").asString(),
                meta.find("model").map(LocatedJson::asString),
                meta.find("hardware").map(LocatedJson::asString),
                degree(cluster, "tensor_parallel_size"),
                degree(cluster, "num_pipeline_stages"),
                degree(cluster, "replicas"));
    }

    private static int degree(Optional<LocatedJson> cluster, String key) {
        return cluster.flatMap(section -> section.find(key))
                .filter(at -> at.value() instanceof JsonValue.Int)
                .map(LocatedJson::asInt)
                .orElse(1);
    }

    /**
     * Fits the semi-empirical model to runs.
     *
     * @throws StageException if a run does not match the target, or the fit is impossible
     */
    public static CoefficientFit fit(List<Path> runs, double level, String hardware) throws IOException {
        List<CoefficientFit.Observation> observations = new ArrayList<>();
        List<Problem> problems = new ArrayList<>();
        for (Path run : runs) {
            RunMetadata facts = read(run);
            if (facts.hardware().filter(name -> !name.equals(hardware)).isPresent()) {
                problems.add(Problem.artifact(
                        run.toString(),
                        "ran on " + facts.hardware().orElseThrow() + ", expected the target's " + hardware));
                continue;
            }
            RequestLatencies metrics = RequestLatencies.read(run);
            observations.add(new CoefficientFit.Observation(
                    facts.runId(),
                    facts.tp(),
                    facts.pp(),
                    facts.tp() * facts.pp() * facts.copies(),
                    metrics.outputTokensPerSecond(),
                    metrics.tpotMs(0.5)));
        }
        StageException.refuse(problems);
        try {
            return CoefficientFit.of(observations, level);
        } catch (IllegalArgumentException tooFew) {
            throw StageException.input(
                    Problem.config("calibration.runs", "cannot be fitted: " + tooFew.getMessage())
                            .hint("add runs with different degrees of parallelism"),
                    tooFew);
        }
    }
}
