package dev.stagesim.feature.studio;

import dev.stagesim.feature.studio.Notes.Note;
import dev.stagesim.io.gzip.Resources;
import dev.stagesim.io.json.JsonObjectBuilder;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.RecordJson;
import dev.stagesim.model.Shell;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.WebApplication.Answer;
import dev.stagesim.pipeline.WebApplication.Commands;
import dev.stagesim.pipeline.WebApplication.Setting;
import dev.stagesim.report.Page;
import java.io.IOException;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.atomic.AtomicBoolean;

/** Dispatches requests by path, after {@link Guard} has accepted them. */
final class StudioRoutes implements AutoCloseable {
    private static final long REFRESH_INTERVAL_MS = 2000;

    /** Exit code of {@code stage fits} if the requests do not fit. */
    private static final int DOES_NOT_FIT = 3;

    private final Setting setting;
    private final Commands commands;
    private final Jobs jobs;
    private final RunIndex index;
    private final Notes notes;
    private final RunFiles files;
    private final RunsView runs;
    private final RunView run;
    private final CompareView compare;
    private final SweepView sweeps;
    private final WhatIf whatIf;
    private final Timer background = new Timer("studio-index", true);
    private final AtomicBoolean refreshRequested = new AtomicBoolean(true);
    private volatile String indexError = "";

    StudioRoutes(Setting setting, Commands commands) throws IOException {
        this.setting = setting;
        this.commands = commands;
        this.jobs = new Jobs(setting.home(), setting.work());
        this.index = new RunIndex(setting.work());
        this.notes = new Notes(setting.work());
        this.files = new RunFiles(setting.work());
        this.runs = new RunsView(setting.work(), index, notes);
        this.run = new RunView(setting.work(), files, notes, commands);
        this.compare = new CompareView(run);
        this.sweeps = new SweepView(setting.work(), files, index);
        this.whatIf = new WhatIf(setting);
        background.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        refreshIndex();
                    }
                },
                0,
                REFRESH_INTERVAL_MS);
    }

    /** Refreshes the index if the list was requested since the last refresh. */
    private synchronized void refreshIndex() {
        if (!refreshRequested.getAndSet(false)) {
            return;
        }
        try {
            index.refresh();
            indexError = "";
        } catch (IOException | RuntimeException failed) {
            indexError = "the index of runs is not up to date: " + failed.getMessage();
        }
    }

    ApiResponse answer(ApiRequest call) throws IOException {
        String first = call.path().get(0);
        if (call.path().size() == 1) {
            return switch (first) {
                case "" -> ApiResponse.ours("text/html", resource("studio.html"));
                case "studio.js", "new.js" -> ApiResponse.ours("text/javascript", resource(first));
                case "questions.json" -> ApiResponse.ours("application/json", resource(first));
                case "studio.css" ->
                    ApiResponse.ours(
                            "text/css",
                            Page.resource("page.css") + Page.resource("chart.css") + resource("studio.css"));
                default -> ApiResponse.refuse(404, "there is no " + first);
            };
        }
        if (first.equals("files") && call.path().size() >= 4) {
            return RunFiles.reply(files.file(
                    files.run(call.path().get(1), call.path().get(2)),
                    call.path().subList(3, call.path().size())));
        }
        if (first.equals("sweep") && call.path().size() == 2) {
            return sweeps.page(call.path().get(1));
        }
        return first.equals("api") && call.path().size() == 2
                ? api(call, call.path().get(1))
                : ApiResponse.refuse(404, "there is no " + String.join("/", call.path()));
    }

    private ApiResponse api(ApiRequest call, String name) throws IOException {
        boolean writes = List.of("note", "columns", "check", "fits", "whatif", "start", "stop", "again")
                .contains(name);
        if (writes != call.isPost()) {
            return ApiResponse.refuse(405, "expected " + (writes ? "POST" : "GET"));
        }
        return switch (name) {
            case "state" -> state();
            case "runs" -> listed(call);
            case "run" -> run.answer(call.text("run"));
            case "table" -> run.table(call);
            case "compare" -> compare.answer(call);
            case "distribution" -> compare.distribution(call);
            case "scatter" -> compare.scatter(call);
            case "columns" -> runs.keep(call.body(RunsView.Columns.class));
            case "note" -> note(call.body(NoteRequest.class));
            case "form" ->
                Form.reply(
                        CommandRequest.stage(call.text("stage")), setting.home().resolve("configs"));
            case "check" -> check(CommandRequest.of(call.body(CommandRequest.Request.class)));
            case "fits" -> fits(CommandRequest.of(call.body(CommandRequest.Request.class)));
            case "whatif" -> whatIf(call.body(CommandRequest.Request.class));
            case "start", "stop", "again" ->
                setting.allowRuns()
                        ? job(name, call)
                        : ApiResponse.refuse(
                                403, "the studio was started without --allow-runs: copy the command instead");
            case "sweeps" -> sweeps.list();
            case "sweep" -> sweeps.answer(call.text("id"));
            case "jobs" -> ApiResponse.json(jobs.list());
            case "job" ->
                ApiResponse.json(
                        jobs.show(call.count("id", 0, Integer.MAX_VALUE), call.count("from", 0, Integer.MAX_VALUE)));
            default -> ApiResponse.refuse(404, "there is no api/" + name);
        };
    }

    private ApiResponse state() {
        return ApiResponse.json(JsonValue.object()
                .put("trouble", indexError)
                .put("allow_runs", setting.allowRuns())
                .put("stages", JsonValue.strings(StageRegistry.standard().names()))
                .build());
    }

    /** Composes and checks the configuration like the command itself, without running it. */
    private ApiResponse check(CommandRequest words) {
        Answer answer = commands.run(words.confined("--dry-run"));
        return ApiResponse.json(checked(answer, answer.code() == 0, words.command())
                .put("seconds", runs.medianSeconds(words.stage().spec().name()).orElse(0))
                .build());
    }

    /** Returns the memory of a deployment and what fits, as {@code stage fits}. */
    private ApiResponse fits(CommandRequest words) {
        List<String> command = words.command();
        command.set(0, "fits");
        List<String> confined = words.confined();
        confined.set(0, "fits");
        Answer answer = commands.run(confined);
        return ApiResponse.json(checked(answer, answer.code() == 0 || answer.code() == DOES_NOT_FIT, command)
                .build());
    }

    private static JsonObjectBuilder checked(Answer answer, boolean valid, List<String> command) {
        return JsonValue.object()
                .put("valid", valid)
                .put("output", (answer.out() + answer.err()).strip())
                .put("command", Shell.stage(command));
    }

    private ApiResponse whatIf(CommandRequest.Request request) throws IOException {
        return whatIf.answer(CommandRequest.of(request), request.soon().orElse(false));
    }

    /** A job to stop or restart. */
    private record JobRequest(int id) {}

    private ApiResponse job(String action, ApiRequest call) throws IOException {
        int id;
        if (action.equals("start")) {
            CommandRequest words = CommandRequest.of(call.body(CommandRequest.Request.class));
            Answer answer = commands.run(words.confined("--dry-run"));
            if (answer.code() != 0) {
                return ApiResponse.refuse(400, answer.err().strip());
            }
            id = jobs.start(words);
        } else {
            id = call.body(JobRequest.class).id();
            if (action.equals("stop")) {
                jobs.stop(id);
            } else {
                jobs.again(id);
            }
        }
        refreshRequested.set(true);
        return ApiResponse.json(jobs.show(id, 0));
    }

    private ApiResponse listed(ApiRequest call) {
        refreshRequested.set(true);
        return runs.answer(call);
    }

    /** A user's note on a run. */
    private record NoteRequest(String run, List<String> tags, String text) {}

    private ApiResponse note(NoteRequest request) throws IOException {
        files.run(request.run());
        notes.put(request.run(), new Note(request.tags(), request.text()));
        return ApiResponse.json(RecordJson.write(notes.of(request.run())));
    }

    private static String resource(String name) {
        return Resources.text(StudioRoutes.class, name);
    }

    /** Waits for a refresh in progress, so that nothing is written afterwards. */
    @Override
    public synchronized void close() {
        background.cancel();
        whatIf.close();
        jobs.close();
    }
}
