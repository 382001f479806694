package dev.stagesim.cli.runs;

import dev.stagesim.bench.JsonService;
import dev.stagesim.io.gzip.Directories;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.store.RunMeta;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/**
 * Exports a run to an MLflow tracking server through the REST interface of the server. A tag contains the id of the run,
 * so that each run is exported only once.
 */
public final class MlflowExport {
    /** Name of the experiment with the runs. */
    static final String EXPERIMENT = "stagesim";

    private static final String TAG = "stagesim.run_id";
    private static final int MAX_METRICS = 1000;
    private static final int MAX_PARAMS = 100;
    private static final int MAX_VALUE_LENGTH = 500;
    private static final int NOT_FOUND = 404;
    private static final int OK = 200;

    private static final long MAX_ARTIFACT_BYTES = 64L << 20;
    private static final String PATH = "api/2.0/mlflow/";
    private static final String ARTIFACTS = "api/2.0/mlflow-artifacts/artifacts";

    private final URI server;
    private final JsonService service;

    public MlflowExport(URI server, Optional<String> token) {
        this.server = server;
        this.service = new JsonService(server, token);
    }

    /** A run and its directory. */
    public record Exported(RunExport run, Path dir) {
        RunMeta meta() {
            return run.meta();
        }
    }

    /**
     * Creates the run unless it exists, with its files as artifacts, and returns MLflow's id of the run.
     *
     * @param warn receives the names of files that are not sent
     */
    public String send(Exported exported, Consumer<String> warn) throws IOException {
        RunExport run = exported.run();
        RunMeta meta = run.meta();
        String experiment = experiment();
        Optional<String> existing = existing(experiment, meta.runId());
        if (existing.isPresent()) {
            return existing.get();
        }
        LocatedJson info = create(experiment, meta.runId(), millis(meta.startedAt()), tags(meta));
        String id = info.get("run_id").asString();
        long ended = millis(meta.endedAt());
        List<JsonValue> metrics = new ArrayList<>();
        meta.headlines()
                .forEach((name, value) -> metrics.add(JsonValue.object()
                        .put("key", name)
                        .put("value", value.doubleValue())
                        .put("timestamp", ended)
                        .put("step", 0L)
                        .build()));
        List<JsonValue> params = new ArrayList<>();
        run.settings()
                .forEach((name, value) -> params.add(
                        pair(name, value.length() > MAX_VALUE_LENGTH ? value.substring(0, MAX_VALUE_LENGTH) : value)));
        RunExport.parts(metrics, MAX_METRICS).forEach(part -> log(id, "metrics", part));
        RunExport.parts(params, MAX_PARAMS).forEach(part -> log(id, "params", part));
        artifacts(info, exported.dir(), warn);
        finish(id, ended);
        return id;
    }

    /**
     * Creates a parent run for a sweep unless it exists, and its jobs as child runs. Returns MLflow's id of the parent.
     *
     * @param dir directory of the sweep, whose name is its id
     * @param jobs the finished jobs, at least one
     */
    public String sendSweep(Path dir, List<Exported> jobs, Consumer<String> warn) throws IOException {
        String sweep = dir.getFileName().toString();
        String experiment = experiment();
        Optional<String> existing = existing(experiment, sweep);
        List<Long> times = jobs.stream()
                .flatMap(job -> Stream.of(job.meta().startedAt(), job.meta().endedAt()))
                .map(MlflowExport::millis)
                .sorted()
                .toList();
        TreeMap<String, String> tags = new TreeMap<>(tags(jobs.get(0).meta()));
        jobs.forEach(job -> tags.entrySet().retainAll(tags(job.meta()).entrySet()));
        tags.put(TAG, sweep);
        Optional<LocatedJson> info =
                existing.isPresent() ? Optional.empty() : Optional.of(create(experiment, sweep, times.get(0), tags));
        String parent =
                existing.orElseGet(() -> info.orElseThrow().get("run_id").asString());
        for (Exported job : jobs) {
            String child = send(job, warn);
            post(
                    "runs/set-tag",
                    JsonValue.object()
                            .put("run_id", child)
                            .put("key", "mlflow.parentRunId")
                            .put("value", parent));
        }
        if (info.isPresent()) {
            artifacts(info.get(), dir, warn);
            finish(parent, times.get(times.size() - 1));
        }
        return parent;
    }

    private Optional<String> existing(String experiment, String runId) {
        // an interrupted export remains unfinished and is repeated
        String filter = "tags.`" + TAG + "` = '" + runId + "' and attributes.status = 'FINISHED'";
        LocatedJson found = post(
                "runs/search",
                JsonValue.object()
                        .put("experiment_ids", JsonValue.strings(List.of(experiment)))
                        .put("filter", filter)
                        .put("max_results", 1L));
        return found.find("runs")
                .flatMap(runs -> runs.items().stream().findFirst())
                .map(run -> run.get("info").get("run_id").asString());
    }

    /** Sends the files of a directory, if the server accepts artifacts. */
    private void artifacts(LocatedJson info, Path dir, Consumer<String> warn) throws IOException {
        Optional<URI> target =
                info.find("artifact_uri").map(LocatedJson::asString).map(URI::create);
        if (!target.map(URI::getScheme).equals(Optional.of("mlflow-artifacts"))) {
            target.ifPresent(uri -> warn.accept("no files are sent: the server keeps artifacts at " + uri
                    + ", which only MLflow's own client can write"));
            return;
        }
        for (Path file : Directories.list(dir, Files::isRegularFile)) {
            if (Files.size(file) > MAX_ARTIFACT_BYTES) {
                warn.accept(
                        file.getFileName() + " is not sent: it has more than " + (MAX_ARTIFACT_BYTES >> 20) + " MiB");
                continue;
            }
            String path = ARTIFACTS + target.get().getPath() + "/"
                    + URLEncoder.encode(file.getFileName().toString(), StandardCharsets.UTF_8)
                            .replace("+", "%20"); // a plus is literal in a path
            accepted(path, request(path, () -> service.put(path, file)));
        }
    }

    private void finish(String id, long ended) {
        post(
                "runs/update",
                JsonValue.object().put("run_id", id).put("status", "FINISHED").put("end_time", ended));
    }

    private void log(String id, String what, List<JsonValue> part) {
        post("runs/log-batch", JsonValue.object().put("run_id", id).put(what, JsonValue.of(part)));
    }

    private static Map<String, String> tags(RunMeta meta) {
        Map<String, String> tags = new TreeMap<>();
        tags.put(TAG, meta.runId());
        tags.put("stagesim.stage", meta.runType());
        tags.put("stagesim.overrides", String.join(" ", meta.config().overrides()));
        meta.model().ifPresent(model -> tags.put("stagesim.model", model));
        meta.hardware().ifPresent(hardware -> tags.put("stagesim.hardware", hardware));
        return tags;
    }

    private LocatedJson create(String experiment, String name, long started, Map<String, String> tags) {
        List<JsonValue> all = new ArrayList<>();
        tags.forEach((key, value) -> all.add(pair(key, value)));
        JsonObjectBuilder body = JsonValue.object()
                .put("experiment_id", experiment)
                .put("run_name", name)
                .put("start_time", started)
                .put("tags", JsonValue.of(all));
        return post("runs/create", body).get("run").get("info");
    }

    private String experiment() {
        String path = "experiments/get-by-name?experiment_name=" + EXPERIMENT;
        JsonService.Response answer = request(path, () -> service.get(PATH + path));
        if (answer.status() == NOT_FOUND) {
            return post("experiments/create", JsonValue.object().put("name", EXPERIMENT))
                    .get("experiment_id")
                    .asString();
        }
        return read(path, answer).get("experiment").get("experiment_id").asString();
    }

    private LocatedJson post(String path, JsonObjectBuilder body) {
        return read(path, request(path, () -> service.post(PATH + path, body.build())));
    }

    /** A request that may fail on the network. */
    private interface Request {
        JsonService.Response answer() throws IOException;
    }

    private JsonService.Response request(String path, Request request) {
        try {
            return request.answer();
        } catch (IOException e) {
            throw StageException.failed(
                    problem(path, "no answer (" + e.getClass().getSimpleName() + ")"), e);
        }
    }

    private LocatedJson read(String path, JsonService.Response answer) {
        accepted(path, answer);
        return Json.parse(answer.body(), server + " " + path);
    }

    private void accepted(String path, JsonService.Response answer) {
        if (answer.status() != OK) {
            String message = answer.body()
                    .substring(0, Math.min(MAX_VALUE_LENGTH, answer.body().length()));
            throw StageException.failed(problem(path, "answered " + answer.status() + ": " + message));
        }
    }

    private Problem problem(String path, String what) {
        return Problem.of("export failed", server.toString(), path + ": " + what)
                .hint(
                        "check that it is an MLflow tracking server; MLFLOW_TRACKING_TOKEN is its access token, if required");
    }

    private static JsonValue pair(String key, String value) {
        return JsonValue.object().put("key", key).put("value", value).build();
    }

    private static long millis(String instant) {
        return Instant.parse(instant).toEpochMilli();
    }
}
