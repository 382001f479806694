package dev.stagesim.feature.studio;

import dev.stagesim.feature.studio.Notes.Note;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.RecordJson;
import dev.stagesim.model.Shell;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.pipeline.WebApplication.Answer;
import dev.stagesim.pipeline.WebApplication.Commands;
import dev.stagesim.pipeline.WebApplication.Setting;
import dev.stagesim.report.Page;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Timer;
import java.util.TimerTask;
import java.util.concurrent.atomic.AtomicBoolean;

/** What is answered to which address; whoever comes here was let in by {@link Guard}. */
final class Routes implements AutoCloseable {
    private static final long LOOK_AGAIN_MS = 2000;

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
    private final AtomicBoolean asked = new AtomicBoolean(true);
    private volatile String trouble = "";

    Routes(Setting setting, Commands commands) throws IOException {
        this.setting = setting;
        this.commands = commands;
        this.jobs = new Jobs(setting.home(), setting.work());
        this.index = new RunIndex(setting.work());
        this.notes = new Notes(setting.work());
        this.files = new RunFiles(setting.work());
        this.runs = new RunsView(index, notes);
        this.run = new RunView(setting.work(), files, notes, commands);
        this.compare = new CompareView(run);
        this.sweeps = new SweepView(setting.work(), files, index);
        this.whatIf = new WhatIf(setting);
        background.schedule(
                new TimerTask() {
                    @Override
                    public void run() {
                        look();
                    }
                },
                0,
                LOOK_AGAIN_MS);
    }

    /** Looks for new runs, when somebody has asked for the list since. */
    private synchronized void look() {
        if (!asked.getAndSet(false)) {
            return;
        }
        try {
            index.refresh();
            trouble = "";
        } catch (IOException | RuntimeException failed) {
            trouble = "the index of runs is not up to date: " + failed.getMessage();
        }
    }

    Reply answer(Call call) throws IOException {
        String first = call.path().get(0);
        if (call.path().size() == 1) {
            return switch (first) {
                case "" -> Reply.ours("text/html", resource("studio.html"));
                case "studio.js" -> Reply.ours("text/javascript", resource("studio.js"));
                case "studio.css" ->
                    Reply.ours(
                            "text/css",
                            Page.resource("page.css") + Page.resource("chart.css") + resource("studio.css"));
                default -> Reply.refuse(404, "there is no " + first);
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
                : Reply.refuse(404, "there is no " + String.join("/", call.path()));
    }

    private Reply api(Call call, String name) throws IOException {
        boolean writes =
                List.of("note", "check", "whatif", "start", "stop", "again").contains(name);
        if (writes != call.isPost()) {
            return Reply.refuse(405, "expected " + (writes ? "POST" : "GET"));
        }
        return switch (name) {
            case "state" -> state();
            case "runs" -> listed(call);
            case "run" -> run.answer(call.text("run"));
            case "table" -> run.table(call);
            case "compare" -> compare.answer(call);
            case "distribution" -> compare.distribution(call);
            case "scatter" -> compare.scatter(call);
            case "note" -> note(call.body(NoteRequest.class));
            case "form" ->
                Form.reply(Words.stage(call.text("stage")), setting.home().resolve("configs"));
            case "check" -> check(Words.of(call.body(Words.Request.class)));
            case "whatif" -> whatIf(call.body(Words.Request.class));
            case "start", "stop", "again" ->
                setting.allowRuns()
                        ? job(name, call)
                        : Reply.refuse(403, "the studio was started without --allow-runs: copy the command instead");
            case "sweeps" -> sweeps.list();
            case "sweep" -> sweeps.answer(call.text("id"));
            case "jobs" -> Reply.json(jobs.list());
            case "job" ->
                Reply.json(jobs.show(call.count("id", 0, Integer.MAX_VALUE), call.count("from", 0, Integer.MAX_VALUE)));
            default -> Reply.refuse(404, "there is no api/" + name);
        };
    }

    private Reply state() {
        return Reply.json(JsonValue.object()
                .put("trouble", trouble)
                .put("allow_runs", setting.allowRuns())
                .put("stages", JsonValue.strings(StageRegistry.standard().names()))
                .build());
    }

    /** Composes and checks the configuration as the command itself would, without running anything. */
    private Reply check(Words words) {
        Answer answer = commands.run(words.confined("--dry-run"));
        return Reply.json(JsonValue.object()
                .put("valid", answer.code() == 0)
                .put("said", (answer.out() + answer.err()).strip())
                .put("command", Shell.stage(words.command()))
                .build());
    }

    private Reply whatIf(Words.Request request) throws IOException {
        return whatIf.answer(Words.of(request), request.soon().orElse(false));
    }

    /** A job that is stopped or given again. */
    private record JobRequest(int id) {}

    private Reply job(String action, Call call) throws IOException {
        int id;
        if (action.equals("start")) {
            Words words = Words.of(call.body(Words.Request.class));
            Answer answer = commands.run(words.confined("--dry-run"));
            if (answer.code() != 0) {
                return Reply.refuse(400, answer.err().strip());
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
        asked.set(true);
        return Reply.json(jobs.show(id, 0));
    }

    private Reply listed(Call call) {
        asked.set(true);
        return runs.answer(call);
    }

    /** What a person notes about a run. */
    private record NoteRequest(String run, List<String> tags, String text) {}

    private Reply note(NoteRequest request) throws IOException {
        files.run(request.run());
        notes.put(request.run(), new Note(request.tags(), request.text()));
        return Reply.json(RecordJson.write(notes.of(request.run())));
    }

    private static String resource(String name) {
        try (InputStream in = Routes.class.getResourceAsStream(name)) {
            if (in == null) {
                throw new IllegalStateException("missing resource " + name);
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Waits for a look that is under way, so that nothing is written afterwards. */
    @Override
    public synchronized void close() {
        background.cancel();
        whatIf.close();
        jobs.close();
    }
}
