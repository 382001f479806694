package dev.stagesim.verify.vllm;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.core.IntList;
import dev.stagesim.sim.serving.memory.PagedBlocks;
import dev.stagesim.sim.serving.memory.VllmRules;
import dev.stagesim.sim.serving.policy.EngineLoop;
import dev.stagesim.sim.serving.policy.LiveRequest;
import dev.stagesim.sim.serving.policy.StepPlan;
import dev.stagesim.sim.serving.policy.StepResult;
import dev.stagesim.sim.serving.policy.VllmV1;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Consumer;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs a case and records the scheduler's decisions, one line per step. */
final class VllmReplay {
    private static final int MAX_STEPS = 3000;
    private static final int MAX_LISTED_REQUESTS = 24;

    private final CaseEngine engine;
    private final List<CaseRequest> requests;
    private final List<LocatedJson> events;
    private final int maxSteps;
    private final ScriptedWorker worker;
    private final PagedBlocks cache;
    private final VllmV1 scheduler;
    private final EngineLoop loop;
    private final Map<String, LiveRequest> live = new HashMap<>();
    private final Map<StepPlan, Integer> plannedAt = new HashMap<>();
    private final Consumer<String> lines;
    private final boolean showsSkips;
    private int arrived;
    private int preemptions;
    private long outputTokens;

    VllmReplay(LocatedJson recorded, VllmRules rules, Consumer<String> lines) {
        this.lines = lines;
        engine = CaseEngine.of(recorded.get("engine"), rules);
        showsSkips = recorded.has("record_skip_drafts");
        requests = CaseRequest.all(recorded.get("requests"));
        events = recorded.find("events").map(LocatedJson::items).orElse(List.of());
        maxSteps = recorded.find("max_steps").map(LocatedJson::asInt).orElse(MAX_STEPS);
        worker = new ScriptedWorker(requests, engine);
        cache = new PagedBlocks(engine.layout());
        scheduler =
                new VllmV1(engine.settings(), cache, worker, engine.connector().isPresent() ? worker : null);
        loop = new EngineLoop(scheduler);
    }

    void run() {
        lines.accept(config());
        int step = 0;
        while (step < maxSteps && (loop.hasWork() || hasFutureInput(step))) {
            step(step);
            step++;
        }
        lines.accept(end(step));
    }

    private boolean hasFutureInput(int step) {
        return arrived < requests.size()
                || events.stream().anyMatch(event -> event.get("step").asInt() >= step);
    }

    private void step(int step) {
        while (arrived < requests.size() && requests.get(arrived).arrive() <= step) {
            CaseRequest request = requests.get(arrived++);
            boolean waits = request.grammarReady().isPresent();
            live.put(request.spec().name(), scheduler.add(request.spec(), waits));
        }
        for (CaseRequest request : requests) {
            LiveRequest known = live.get(request.spec().name());
            if (known != null && request.grammarReady().map(at -> at <= step).orElse(false)) {
                scheduler.grammarReady(known);
            }
        }
        StringBuilder line = new StringBuilder("{\"t\":").append(step);
        boolean hasResult = events(step, line);
        if (loop.hasWork()) {
            planAndUpdate(step, line);
            queues(line);
            hasResult = true;
        }
        if (hasResult) {
            lines.accept(line.append('}').toString());
        }
    }

    private boolean events(int step, StringBuilder line) {
        boolean hasResult = false;
        for (LocatedJson event : events) {
            if (event.get("step").asInt() != step) {
                continue;
            }
            switch (event.get("type").asString()) {
                case "abort" -> abort(event);
                case "reset" -> {
                    List<LiveRequest> preempted = new ArrayList<>();
                    boolean done = scheduler.resetPrefixCache(
                            event.get("reset_running").asBool(), preempted);
                    preemptions += preempted.size();
                    line.append(",\"reset\":").append(done);
                    if (!preempted.isEmpty()) {
                        line.append(",\"reset_pre\":").append(names(preempted));
                    }
                    hasResult = true;
                }
                case "pause" -> {
                    switch (event.get("state").asString()) {
                        case "none" -> scheduler.resume();
                        case "new" -> scheduler.pauseNew();
                        default -> scheduler.pauseAll();
                    }
                }
                default -> {}
            }
        }
        return hasResult;
    }

    private void abort(LocatedJson event) {
        for (String id : event.get("ids").asStrings()) {
            LiveRequest request = live.get(id);
            if (request != null) {
                scheduler.abort(request);
            }
        }
    }

    private void planAndUpdate(int step, StringBuilder line) {
        boolean throttles = engine.prefillInterval() > 1 && step % engine.prefillInterval() != 0;
        @Nullable StepPlan plan = loop.plan(throttles);
        if (plan != null) {
            plannedAt.put(plan, step);
            worker.planned();
            preemptions += plan.preempted().size();
            schedule(plan, line);
        }
        @Nullable StepPlan due = loop.due(plan);
        if (due != null) {
            StepResult result = worker.report();
            for (LocatedJson event : events) {
                if (event.get("step").asInt() == step
                        && event.get("type").asString().equals("abort_during")) {
                    abort(event);
                }
            }
            update(due, result, line);
        }
    }

    private void schedule(StepPlan plan, StringBuilder line) {
        line.append(",\"sched\":{\"run\":[");
        for (int i = 0; i < plan.size(); i++) {
            line.append(i > 0 ? "," : "");
            entry(plan, i, line);
        }
        line.append(']');
        if (!plan.preempted().isEmpty()) {
            line.append(",\"pre\":").append(names(plan.preempted()));
        }
        hits(plan, line);
        if (!cache.evicted().isEmpty()) {
            line.append(",\"ev\":").append(ints(cache.evicted().toArray()));
        }
        if (!plan.finished().isEmpty()) {
            int[] finished = plan.finished().toArray();
            Arrays.sort(finished);
            line.append(",\"fin\":")
                    .append(Arrays.stream(finished)
                            .mapToObj(index ->
                                    Json.quoted(requests.get(index).spec().name()))
                            .collect(Collectors.joining(",", "[", "]")));
        }
        optionalFields(plan, line);
        line.append(",\"free\":").append(cache.free()).append('}');
    }

    private void entry(StepPlan plan, int i, StringBuilder line) {
        LiveRequest request = plan.request(i);
        boolean isWhole = plan.entry(i) != StepPlan.Entry.RUNNING;
        line.append('[').append(Json.quoted(request.spec().name()));
        line.append(",\"").append(kind(plan.entry(i))).append("\",").append(plan.tokens(i));
        line.append(',').append(plan.computed(i)).append(',').append(plan.drafts(i));
        StringBuilder blocks = new StringBuilder();
        boolean hasBlocks = false;
        for (int group = 0; group < engine.layout().groups().size(); group++) {
            IntList table = request.blocks().blocks(group);
            int from = isWhole ? 0 : request.blocks().firstNew(group);
            int[] handed = Arrays.copyOfRange(table.toArray(), from, table.size());
            hasBlocks |= handed.length > 0;
            blocks.append(group > 0 ? "," : "").append(ints(handed));
        }
        if (hasBlocks) {
            line.append(",[").append(blocks).append(']');
        }
        line.append(']');
    }

    private static char kind(StepPlan.Entry entry) {
        return switch (entry) {
            case NEW -> 'N';
            case RESUMED -> 'R';
            case RUNNING -> 'C';
        };
    }

    private static void hits(StepPlan plan, StringBuilder line) {
        if (plan.hitRequests().isEmpty()) {
            return;
        }
        List<String> hits = new ArrayList<>();
        for (int i = 0; i < plan.hitRequests().size(); i++) {
            hits.add(Json.quoted(plan.hitRequests().get(i).spec().name()) + ":"
                    + plan.hits().get(i));
        }
        line.append(",\"hit\":{").append(String.join(",", hits)).append('}');
    }

    private void optionalFields(StepPlan plan, StringBuilder line) {
        int[] common = scheduler.commonBlocks();
        if (Arrays.stream(common).anyMatch(count -> count > 0)) {
            line.append(",\"cpb\":").append(ints(common));
        }
        if (!plan.copies().isEmpty()) {
            List<String> copies = new ArrayList<>();
            for (int i = 0; i < plan.copies().size(); i += 2) {
                copies.add("[" + plan.copies().get(i) + "," + plan.copies().get(i + 1) + "]");
            }
            line.append(",\"cow\":[").append(String.join(",", copies)).append(']');
        }
        if (showsSkips && plan.skipsDrafts()) {
            line.append(",\"nodrafts\":true");
        }
        if (plan.draftsAsked() != engine.settings().speculation().tokens()) {
            line.append(",\"k\":").append(plan.draftsAsked());
        }
    }

    private void update(StepPlan plan, StepResult result, StringBuilder line) {
        if (!result.received.isEmpty()) {
            line.append(",\"recv\":").append(names(result.received));
        }
        if (!result.sent.isEmpty()) {
            line.append(",\"sent\":").append(names(result.sent));
        }
        if (!result.invalid.isEmpty()) {
            line.append(",\"invalid\":").append(ints(result.invalid.toArray()));
        }
        int of = plannedAt.getOrDefault(plan, -1);
        List<String> outputs = new ArrayList<>();
        loop.process(result, (request, tokens) -> {
            outputTokens += tokens;
            outputs.add("[" + Json.quoted(request.spec().name()) + "," + tokens + "," + reason(request.status()) + ","
                    + request.computed() + "," + request.known() + "]");
        });
        line.append(",\"upd\":{\"of\":").append(of);
        line.append(",\"out\":[").append(String.join(",", outputs)).append(']');
        line.append(",\"free\":").append(cache.free()).append('}');
    }

    private static String reason(LiveRequest.Status status) {
        return switch (status) {
            case STOPPED -> "\"stop\"";
            case LENGTH -> "\"length\"";
            case ABORTED -> "\"abort\"";
            case ERROR -> "\"error\"";
            default -> "null";
        };
    }

    private void queues(StringBuilder line) {
        List<LiveRequest> running = scheduler.running();
        List<LiveRequest> waiting = scheduler.waiting();
        List<LiveRequest> skipped = scheduler.skipped();
        line.append(",\"q\":[").append(running.size()).append(',').append(waiting.size());
        line.append(',').append(skipped.size()).append(']');
        if (requests.size() <= MAX_LISTED_REQUESTS) {
            line.append(",\"r\":").append(names(running));
            if (!waiting.isEmpty()) {
                line.append(",\"w\":").append(names(waiting));
            }
            if (!skipped.isEmpty()) {
                line.append(",\"s\":").append(names(skipped));
            }
        } else {
            line.append(",\"rh\":").append(hash(indexes(running)));
            line.append(",\"wh\":").append(hash(indexes(waiting)));
        }
        line.append(",\"fq\":").append(hash(cache.queue().toArray()));
    }

    private static int[] indexes(List<LiveRequest> requests) {
        return requests.stream().mapToInt(request -> request.spec().index()).toArray();
    }

    /** FNV-1a over the numbers as four bytes each, little endian. */
    private static long hash(int[] numbers) {
        int hash = 0x811C9DC5;
        for (int number : numbers) {
            for (int shift = 0; shift < 32; shift += 8) {
                hash = (hash ^ ((number >>> shift) & 0xFF)) * 16777619;
            }
        }
        return Integer.toUnsignedLong(hash);
    }

    private String config() {
        List<String> caps = new ArrayList<>();
        for (int i = 0; i < engine.layout().groups().size(); i++) {
            int cap = engine.layout().admissionCap(i);
            caps.add(cap < 0 ? "null" : Integer.toString(cap));
        }
        return "{\"config\":{\"scheduler_block_size\":" + engine.layout().alignment()
                + ",\"hash_block_size\":"
                + engine.layout()
                        .unit(engine.layout().caches() || engine.connector().isPresent())
                + ",\"batch_queue_size\":" + engine.settings().batchesInFlight()
                + ",\"max_num_scheduled_tokens\":" + engine.settings().tokens().scheduled()
                + ",\"num_lookahead_tokens\":" + engine.settings().speculation().lookahead()
                + ",\"watermark_blocks\":"
                + (int) (engine.settings().watermark() * engine.layout().blocks())
                + ",\"draft_slots\":"
                + engine.settings().speculation().draftSlots(engine.settings().rules())
                + ",\"admission_cap\":[" + String.join(",", caps) + "]"
                + ",\"free\":" + cache.free() + "}}";
    }

    private String end(int step) {
        List<LiveRequest> unfinished = new ArrayList<>();
        for (CaseRequest request : requests) {
            LiveRequest known = live.get(request.spec().name());
            if (known != null && reason(known.status()).equals("null")) {
                unfinished.add(known);
            }
        }
        return "{\"end\":{\"t\":" + step + ",\"unfinished\":" + names(unfinished) + ",\"free\":" + cache.free()
                + ",\"cached\":" + cache.keyedBlocks() + ",\"preemptions\":" + preemptions + ",\"tokens\":"
                + outputTokens + "}}";
    }

    private static String names(List<LiveRequest> requests) {
        return requests.stream()
                .map(request -> Json.quoted(request.spec().name()))
                .collect(Collectors.joining(",", "[", "]"));
    }

    private static String ints(int[] numbers) {
        return Arrays.toString(numbers).replace(" ", "");
    }
}
