package dev.stagesim.verify.sglang;

import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.policy.Sglang;
import dev.stagesim.sim.serving.policy.SglangConnector;
import dev.stagesim.sim.serving.policy.SglangRequest;
import dev.stagesim.sim.serving.policy.SglangStep;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.SglangSettings;
import dev.stagesim.verify.DifferenceList;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * The scheduler loop: every batch, retraction, end of a request and reserved share, pass by pass. Engines of prefill and decode
 * pools also reserve memory, and transfer a KV cache in the number of passes of its request.
 */
final class EngineReplay implements SglangConnector {
    /** First token of the outputs of the first request, and the distance to the outputs of the next one. */
    private static final long OUTPUTS = 1L << 20;

    private final List<LocatedJson> requests;
    private final List<String> names;
    private final boolean overlaps;
    private final int total;
    private final Sglang engine;
    private final String role;

    /** Requests in transfer, with their remaining passes. */
    private final Map<SglangRequest, Integer> transfers = new LinkedHashMap<>();

    private final List<String> reserved = new ArrayList<>();

    EngineReplay(LocatedJson given, SglangRules rules) {
        LocatedJson settings = given.get("engine");
        requests = given.get("requests").items();
        names = requests.stream().map(request -> request.get("rid").asString()).toList();
        role = given.find("role").map(LocatedJson::asString).orElse("");
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
                settings.get("max_running_requests").asInt(),
                role.isEmpty() ? null : this);
    }

    @Override
    public boolean isDecode() {
        return role.equals("decode");
    }

    @Override
    public void reserved(SglangRequest request, int promptTokens) {
        reserved.add(name(request));
        startTransfer(request);
    }

    @Override
    public boolean keeps(SglangRequest request) {
        if (role.equals("prefill")) {
            startTransfer(request);
        }
        return role.equals("prefill");
    }

    private void startTransfer(SglangRequest request) {
        transfers.put(request, requests.get(request.index()).get("transfer").asInt());
    }

    /** Ends the transfers of a pass. Returns the names of their requests. */
    private List<String> endTransfers() {
        transfers.replaceAll((request, passes) -> passes - 1);
        List<SglangRequest> ended = transfers.entrySet().stream()
                .filter(transfer -> transfer.getValue() <= 0)
                .map(Map.Entry::getKey)
                .toList();
        ended.forEach(transfers::remove);
        ended.forEach(engine::moved);
        return names(ended);
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
        if (isDecode()) {
            endTransfers();
        }
        reserved.clear();
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
        differences.same(wanted, texts(wanted, "reserved"), reserved);
        wanted.find("ratio").ifPresent(ratio -> differences.same(ratio, ratio.asDouble(), engine.ratio()));
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
        differences.same(wanted, texts(wanted, "sent"), role.equals("prefill") ? endTransfers() : List.of());
        differences.same(wanted, texts(wanted, "waiting").size(), engine.waitingCount());
    }

    private void add(int index, LocatedJson request) {
        Tokens.Builder tokens = new Tokens.Builder();
        for (LocatedJson run : request.get("prompt").items()) {
            long[] pair = run.asLongs();
            tokens.run(pair[0], (int) pair[1]);
        }
        // a prefill engine computes one output token, which belongs to the prompt of a decode engine
        int first = isDecode() ? 1 : 0;
        int output = role.equals("prefill") ? 1 : request.get("output").asInt() - first;
        engine.add(index, tokens.length() + first, output, tokens.then(OUTPUTS * (1 + index)));
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
