package dev.stagesim.cli.runs;

import dev.stagesim.bench.JsonService;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.store.RunMeta;
import java.io.IOException;
import java.net.URI;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

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

    private static final String PATH = "api/2.0/mlflow/";

    private final URI server;
    private final JsonService service;

    public MlflowExport(URI server, Optional<String> token) {
        this.server = server;
        this.service = new JsonService(server, token);
    }

    /** Creates the run unless it exists, and returns MLflow's id of the run. */
    public String send(RunExport run) {
        RunMeta meta = run.meta();
        String experiment = experiment();
        // an interrupted export remains unfinished and is repeated
        String filter = "tags.`" + TAG + "` = '" + meta.runId() + "' and attributes.status = 'FINISHED'";
        LocatedJson found = post(
                "runs/search",
                JsonValue.object()
                        .put("experiment_ids", JsonValue.strings(List.of(experiment)))
                        .put("filter", filter)
                        .put("max_results", 1L));
        Optional<LocatedJson> existing =
                found.find("runs").flatMap(runs -> runs.items().stream().findFirst());
        if (existing.isPresent()) {
            return existing.get().get("info").get("run_id").asString();
        }
        String id = create(experiment, meta);
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
        post(
                "runs/update",
                JsonValue.object().put("run_id", id).put("status", "FINISHED").put("end_time", ended));
        return id;
    }

    private void log(String id, String what, List<JsonValue> part) {
        post("runs/log-batch", JsonValue.object().put("run_id", id).put(what, JsonValue.of(part)));
    }

    private String create(String experiment, RunMeta meta) {
        TreeMap<String, String> tags = new TreeMap<>();
        tags.put(TAG, meta.runId());
        tags.put("stagesim.stage", meta.runType());
        tags.put("stagesim.overrides", String.join(" ", meta.config().overrides()));
        meta.model().ifPresent(model -> tags.put("stagesim.model", model));
        meta.hardware().ifPresent(hardware -> tags.put("stagesim.hardware", hardware));
        List<JsonValue> all = new ArrayList<>();
        tags.forEach((name, value) -> all.add(pair(name, value)));
        JsonObjectBuilder body = JsonValue.object()
                .put("experiment_id", experiment)
                .put("run_name", meta.runId())
                .put("start_time", millis(meta.startedAt()))
                .put("tags", JsonValue.of(all));
        return post("runs/create", body).get("run").get("info").get("run_id").asString();
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
        if (answer.status() != OK) {
            String message = answer.body()
                    .substring(0, Math.min(MAX_VALUE_LENGTH, answer.body().length()));
            throw StageException.failed(problem(path, "answered " + answer.status() + ": " + message));
        }
        return Json.parse(answer.body(), server + " " + path);
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
