package dev.stagesim.verify.sglang;

import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.policy.Sglang;
import dev.stagesim.sim.serving.policy.SglangRequest;
import dev.stagesim.sim.serving.policy.SglangStep;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.SglangSettings;
import dev.stagesim.verify.DifferenceList;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** The scheduler loop: every batch, retraction, end of a request and reserved share, pass by pass. */
final class EngineReplay {
    /** First token of the outputs of the first request, and the distance to the outputs of the next one. */
    private static final long OUTPUTS = 1L << 20;

    private final List<LocatedJson> requests;
    private final List<String> names;
    private final boolean overlaps;
    private final int total;
    private final Sglang engine;

    EngineReplay(LocatedJson given, SglangRules rules) {
        LocatedJson settings = given.get("engine");
        requests = given.get("requests").items();
        names = requests.stream().map(request -> request.get("rid").asString()).toList();
        overlaps = settings.get("overlap").asBool();
        int page = settings.get("page_size").asInt();
        total = settings.get("total_tokens").asInt() / page * page;
        engine = new Sglang(
                new SglangSettings(
                        Math.max(0, settings.get("chunked_prefill_size").asInt()),
                        settings.get("max_prefill_tokens").asInt(),
                        page,
                        SglangSuite.policy(settings.get("schedule_policy")),
                        settings.get("schedule_conservativeness").asDouble(),
                        settings.get("radix_cache").asBool(),
                        RadixTree.EvictionRule.of(
                                RadixTree.Eviction.valueOf(
                                        settings.get("eviction").asString().toUpperCase(Locale.ROOT)),
                                rules),
                        settings.get("enable_mixed_chunk").asBool(),
                        overlaps,
                        settings.get("max_new_tokens").asInt()),
                total,
                settings.get("max_running_requests").asInt());
    }

    void compare(LocatedJson expected, DifferenceList differences) {
        List<LocatedJson> passes = expected.get("steps").items();
        for (int t = 0; t < passes.size() && differences.isEmpty(); t++) {
            pass(t, passes.get(t), differences);
        }
        differences.same(expected, false, engine.hasRequests());
    }

    private void pass(int t, LocatedJson wanted, DifferenceList differences) {
        for (int i = 0; i < requests.size(); i++) {
            if (requests.get(i).get("arrive").asInt() == t) {
                add(i, requests.get(i));
            }
        }
        boolean hasFlight = engine.stepsInFlight() > 0;
        SglangStep step = engine.plan();
        List<String> rows = new ArrayList<>();
        for (SglangStep.Part part : step.parts) {
            rows.add(row(name(part.request()), part.isPrompt() ? "P" : "D", part.tokens(), part.computed()));
        }
        differences.same(
                wanted,
                wanted.find("run")
                        .map(run -> run.items().stream().map(EngineReplay::row).toList())
                        .orElse(List.of()),
                rows);
        differences.same(wanted, texts(wanted, "retracted"), names(step.retracted));
        differences.same(wanted, wanted.get("ratio").asDouble(), engine.ratio());
        long[] memory = wanted.get("free").asLongs();
        differences.same(wanted, total - memory[0] - memory[1], (long) engine.usedTokens());
        List<SglangRequest> ended = new ArrayList<>();
        if (overlaps ? hasFlight : !step.isEmpty()) {
            engine.process(request -> {
                if (request.isFinished()) {
                    ended.add(request);
                }
            });
        }
        differences.same(wanted, texts(wanted, "end"), names(ended));
        differences.same(wanted, texts(wanted, "waiting").size(), engine.waitingCount());
    }

    private void add(int index, LocatedJson request) {
        Tokens.Builder tokens = new Tokens.Builder();
        for (LocatedJson run : request.get("prompt").items()) {
            long[] pair = run.asLongs();
            tokens.run(pair[0], (int) pair[1]);
        }
        engine.add(index, tokens.length(), request.get("output").asInt(), tokens.then(OUTPUTS * (1 + index)));
    }

    private String name(SglangRequest request) {
        return names.get(request.index());
    }

    private List<String> names(List<SglangRequest> of) {
        return of.stream().map(this::name).toList();
    }

    private static List<String> texts(LocatedJson step, String name) {
        return step.find(name).map(LocatedJson::asStrings).orElse(List.of());
    }

    private static String row(LocatedJson row) {
        List<LocatedJson> items = row.items();
        return row(
                items.get(0).asString(),
                items.get(1).asString(),
                items.get(2).asInt(),
                items.get(3).asInt());
    }

    private static String row(String name, String kind, int tokens, int computed) {
        return name + ' ' + kind + ' ' + tokens + '@' + computed;
    }
}
