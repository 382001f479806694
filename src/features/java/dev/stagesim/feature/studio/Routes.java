package dev.stagesim.feature.studio;

import dev.stagesim.feature.studio.Notes.Note;
import dev.stagesim.io.json.JsonAt;
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
            case "note" -> note(call.json());
            case "form" ->
                Form.reply(Words.stage(call.text("stage")), setting.home().resolve("configs"));
            case "check" -> check(Words.of(call.json(), setting.work()));
            case "whatif" -> whatIf(call.json());
            case "start", "stop", "again" ->
                setting.allowRuns()
                        ? job(name, call.json())
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
        Answer answer = commands.run(words.command("--dry-run"));
        return Reply.json(JsonValue.object()
                .put("valid", answer.code() == 0)
                .put("said", (answer.out() + answer.err()).strip())
                .put("command", Shell.stage(words.command()))
                .build());
    }

    private Reply whatIf(JsonAt at) throws IOException {
        return whatIf.answer(Words.of(at, setting.work()), at.flag("soon"));
    }

    private Reply job(String does, JsonAt at) throws IOException {
        int id = does.equals("start") ? 0 : at.get("id").asInt();
        switch (does) {
            case "start" -> {
                Words words = Words.of(at, setting.work());
                Answer answer = commands.run(words.command("--dry-run"));
                if (answer.code() != 0) {
                    return Reply.refuse(400, answer.err().strip());
                }
                id = jobs.start(words);
            }
            case "stop" -> jobs.stop(id);
            default -> jobs.again(id);
        }
        asked.set(true);
        return Reply.json(jobs.show(id, 0));
    }

    private Reply listed(Call call) {
        asked.set(true);
        return runs.answer(call);
    }

    private Reply note(JsonAt at) throws IOException {
        String name = at.get("run").asString();
        files.run(name);
        notes.put(name, new Note(at.get("tags").asStrings(), at.get("text").asString()));
        return Reply.json(RecordJson.write(notes.of(name)));
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
