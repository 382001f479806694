package dev.stagesim.feature.studio;

import dev.stagesim.contract.JsonArtifacts;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** Writes run directories in the pipeline's layout without running a stage. */
final class StudioRuns {
    private static final String DIGEST = "0".repeat(64);

    private StudioRuns() {}

    /** Writes a finished run with one table of requests. */
    static Path write(Path work, String stage, String id, String override, Map<String, Double> figures)
            throws IOException {
        Path dir = Files.createDirectories(work.resolve("tmp").resolve(stage).resolve(id));
        Files.writeString(
                dir.resolve("request_metrics.csv"),
                """
                request_id,arrival_time_ns,ttft_ns,status
                0,0,1000000,completed
                1,5000000,3000000,completed
                2,9000000,2000000,completed
                """);
        Files.writeString(dir.resolve("report.html"), "<!DOCTYPE html><title>report</title><script>1</script>");
        Files.writeString(dir.resolve("run_meta.json"), meta(stage, id, override, figures));
        return dir;
    }

    static String meta(String stage, String id, String override, Map<String, Double> figures) {
        String headlines = new TreeMap<>(figures)
                .entrySet().stream()
                        .map(figure -> text(figure.getKey()) + ": " + figure.getValue())
                        .collect(Collectors.joining(", "));
        return """
                {"schema_version": %d, "run_id": %s, "run_type": %s, "model": "meta-llama/Meta-Llama-3-8B",
                 "hardware": "H100-SXM-80GB", "started_at": "2026-01-02T03:04:05Z", "ended_at": "2026-01-02T03:04:06Z",
                 "git_commit": "unknown", "git_dirty": null, "env": {}, "checks": [],
                 "params": {"scheduler": {"kind": "vllm", "batch_size_cap": 128}, "compat": "none"},
                 "config": {"path": "built-in", "name": null, "overrides": [%s]}, "inputs": [],
                 "outputs": [{"path": "report.html", "rows": null, "sha256": "%s"},
                             {"path": "request_metrics.csv", "rows": 3, "sha256": "%s"}],
                 "warnings": [{"stage": "vidur_sim", "message": "<script>alert(1)</script>"}],
                 "headlines": {%s}}
                """
                .formatted(
                        JsonArtifacts.RUN_META.version(),
                        text(id),
                        text(stage),
                        text(override),
                        DIGEST,
                        DIGEST,
                        headlines);
    }

    private static String text(String text) {
        return "\"" + text.replace("\\", "\\\\").replace("\"", "\\\"") + "\"";
    }
}
