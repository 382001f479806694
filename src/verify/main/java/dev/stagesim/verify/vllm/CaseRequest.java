package dev.stagesim.verify.vllm;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.serving.request.RequestSpec;
import dev.stagesim.sim.serving.request.Tokens;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A scripted request.
 *
 * @param grammarReady step from which its grammar is compiled
 * @param accept accepted drafts, by output length, cyclic
 * @param drafts proposed drafts, by output length, cyclic
 * @param remote the connector's data of the request
 * @param sendDelay batches until the connector has received its blocks
 */
record CaseRequest(
        RequestSpec spec,
        int arrive,
        Optional<Integer> grammarReady,
        int[] accept,
        int[] drafts,
        Optional<Remote> remote,
        Optional<Integer> sendDelay) {
    /** The connector's data of a request, and its delivery. */
    record Remote(boolean isAside, int tokens, int defer, int delay, Optional<Integer> failAtBlock) {}

    private static final int END_TOKEN = 7;
    private static final int STOP_TOKEN = 9;

    static List<CaseRequest> all(LocatedJson requests) {
        List<LocatedJson> items = requests.items();
        Map<String, Integer> byId = new LinkedHashMap<>();
        for (int i = 0; i < items.size(); i++) {
            byId.put(items.get(i).get("id").asString(), i);
        }
        List<CaseRequest> all = new ArrayList<>();
        for (int i = 0; i < items.size(); i++) {
            all.add(of(items, i, byId));
        }
        return all;
    }

    private static CaseRequest of(List<LocatedJson> items, int index, Map<String, Integer> byId) {
        LocatedJson item = items.get(index);
        Tokens.Builder tokens = new Tokens.Builder();
        for (LocatedJson part : item.get("prompt").items()) {
            if (part.value() instanceof JsonValue.Obj) {
                Integer other = byId.get(part.get("out").asString());
                if (other == null) {
                    throw part.get("out").expected("the id of a request");
                }
                addOutput(tokens, items.get(other), other, part.get("n").asInt());
            } else {
                long[] run = part.asLongs();
                tokens.run(run[0] * 1_000_000, (int) run[1]);
            }
        }
        int prompt = tokens.length();
        int behind = Math.max(integer(item, "eos_at"), integer(item, "stop_at")) + 1;
        addOutput(tokens, item, index, behind);
        int arrive = item.get("arrive").asInt();
        RequestSpec spec = new RequestSpec(
                index,
                item.get("id").asString(),
                prompt,
                new RequestSpec.Output(
                        item.get("max_tokens").asInt(),
                        Math.max(0, integer(item, "min_tokens")),
                        integer(item, "eos_at"),
                        integer(item, "stop_at")),
                new RequestSpec.Urgency(
                        present(item, "priority").map(LocatedJson::asInt).orElse(0),
                        present(item, "arrival_time").map(LocatedJson::asDouble).orElse((double) arrive)),
                new RequestSpec.Identity(
                        tokens.then(output(index, behind)),
                        present(item, "salt")
                                .map(salt -> (long) salt.asString().hashCode() + (1L << 40))
                                .orElse(0L),
                        0,
                        !present(item, "skip_cache").map(LocatedJson::asBool).orElse(false),
                        List.of()));
        return new CaseRequest(
                spec,
                arrive,
                present(item, "grammar_ready").map(LocatedJson::asInt),
                ints(item, "accept"),
                ints(item, "drafts"),
                present(item, "remote").map(CaseRequest::remote),
                present(item, "send").map(send -> send.get("delay").asInt()));
    }

    private static long output(int index, int position) {
        return 1_000_000_000L + index * 100_000L + position;
    }

    /** Appends the first output tokens of a request, with end and stop tokens at their positions. */
    private static void addOutput(Tokens.Builder tokens, LocatedJson item, int index, int count) {
        for (int k = 0; k < count; k++) {
            long token = output(index, k);
            if (k == integer(item, "eos_at")) {
                token = END_TOKEN;
            } else if (k == integer(item, "stop_at")) {
                token = STOP_TOKEN;
            }
            tokens.run(token, 1);
        }
    }

    private static Remote remote(LocatedJson remote) {
        return new Remote(
                remote.get("mode").asString().equals("async"),
                remote.get("tokens").asInt(),
                Math.max(0, integer(remote, "defer")),
                Math.max(1, integer(remote, "delay")),
                present(remote, "fail_at_block").map(LocatedJson::asInt));
    }

    private static Optional<LocatedJson> present(LocatedJson item, String name) {
        return item.find(name).filter(value -> !value.isNull());
    }

    /** Returns an integer, or -1 if absent. */
    private static int integer(LocatedJson item, String name) {
        return present(item, name).map(LocatedJson::asInt).orElse(-1);
    }

    private static int[] ints(LocatedJson item, String name) {
        return present(item, name)
                .map(list -> list.items().stream().mapToInt(LocatedJson::asInt).toArray())
                .orElse(new int[0]);
    }
}
