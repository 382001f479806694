package dev.stagesim.verify.blis;

import dev.stagesim.io.json.JsonAt;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.sim.serving.cluster.BlisCluster;
import dev.stagesim.sim.serving.cluster.BlisRequest;
import dev.stagesim.sim.serving.cluster.BlisSessions;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.LongStream;

/** Requests and sessions of a recorded run. */
final class ClusterCase {
    private static final long PREFIX_TOKENS = 1L << 36;

    private final JsonAt recorded;
    private final Map<String, long[]> prefixes = new HashMap<>();

    private ClusterCase(JsonAt recorded) {
        this.recorded = recorded;
    }

    static JsonValue run(JsonAt recorded) {
        ClusterCase made = new ClusterCase(recorded);
        CaseConfig config = new CaseConfig(recorded.get("config"));
        List<BlisRequest.Spec> requests = new ArrayList<>();
        Optional<BlisSessions> sessions = Optional.empty();
        if (recorded.has("trace")) {
            BlisSessions all =
                    new BlisSessions(config.text("session_context_growth").equals("accumulate"), config.horizon());
            requests.addAll(made.trace(all));
            sessions = Optional.of(all);
        } else {
            recorded.get("requests").items().forEach(item -> requests.add(request(item)));
        }
        return new OutcomeJson(BlisCluster.run(config.toConfig(), requests, sessions), config).toJson();
    }

    private static BlisRequest.Spec request(JsonAt item) {
        long[] output = tokens(item.get("output").asLongs());
        long[] prompt = item.get("prompt").items().stream()
                .flatMapToLong(run -> Arrays.stream(tokens(run.asLongs())))
                .toArray();
        return new BlisRequest.Spec(
                item.get("id").asString(),
                item.get("arrival_us").asLong(),
                prompt,
                output,
                output.length,
                text(item, "slo_class"),
                text(item, "tenant"),
                text(item, "adapter"),
                "",
                0,
                whole(item, "deadline_us"),
                whole(item, "slo_target_us"),
                whole(item, "image_tokens") > 0);
    }

    private static long[] tokens(long[] run) {
        return LongStream.range(run[0], run[0] + run[1]).toArray();
    }

    /** First rounds in the order in which their sessions appear, then requests without a session. */
    private List<BlisRequest.Spec> trace(BlisSessions sessions) {
        recorded.get("trace").items().forEach(this::addPrefix);
        Map<String, List<JsonAt>> bySession = new LinkedHashMap<>();
        List<JsonAt> alone = new ArrayList<>();
        for (JsonAt item : recorded.get("trace").items()) {
            String session = text(item, "session_id");
            if (session.isEmpty()) {
                alone.add(item);
            } else {
                bySession.computeIfAbsent(session, unseen -> new ArrayList<>()).add(item);
            }
        }
        List<BlisRequest.Spec> requests = new ArrayList<>();
        bySession.forEach((session, rounds) -> {
            rounds.sort(Comparator.comparingLong(round -> whole(round, "round_index")));
            requests.add(sessions.first(plan(session, rounds)));
        });
        alone.forEach(item -> requests.add(sessions.first(plan("", List.of(item)))));
        return requests;
    }

    private BlisSessions.Plan plan(String session, List<JsonAt> rounds) {
        JsonAt first = rounds.get(0);
        boolean hasThinking = rounds.stream().skip(1).anyMatch(round -> whole(round, "think_time_us") != 0);
        List<BlisSessions.Round> all = new ArrayList<>();
        for (int i = 0; i < rounds.size(); i++) {
            JsonAt round = rounds.get(i);
            long gap = i == 0
                    ? 0
                    : Math.max(0, whole(round, "arrival_time_us") - whole(rounds.get(i - 1), "arrival_time_us"));
            all.add(new BlisSessions.Round(
                    round.get("input_tokens").asInt(),
                    round.get("output_tokens").asInt(),
                    hasThinking ? whole(round, "think_time_us") : gap));
        }
        return new BlisSessions.Plan(
                session,
                "request_" + first.get("request_id").asLong(),
                first.get("arrival_time_us").asLong(),
                all,
                prefix(first),
                text(first, "slo_class"),
                text(first, "tenant_id"),
                text(first, "adapter"),
                whole(first, "deadline_us"));
    }

    /** The first record of a group that has a length makes its prefix. */
    private void addPrefix(JsonAt item) {
        String group = text(item, "prefix_group");
        long length = whole(item, "prefix_length");
        if (!group.isEmpty() && length > 0) {
            long from = (prefixes.size() + 1) * PREFIX_TOKENS;
            prefixes.computeIfAbsent(
                    group, unseen -> LongStream.range(from, from + length).toArray());
        }
    }

    private long[] prefix(JsonAt item) {
        return prefixes.getOrDefault(text(item, "prefix_group"), new long[0]);
    }

    private static String text(JsonAt item, String name) {
        return item.find(name).map(JsonAt::asString).orElse("");
    }

    private static long whole(JsonAt item, String name) {
        return item.find(name).map(JsonAt::asLong).orElse(0L);
    }
}
