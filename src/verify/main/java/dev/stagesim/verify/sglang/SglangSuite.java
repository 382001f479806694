package dev.stagesim.verify.sglang;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.serving.cluster.PrefixTree;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.sim.serving.policy.QueueOrder;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.serving.settings.SchedulePolicy;
import dev.stagesim.verify.CaseResult;
import dev.stagesim.verify.DifferenceList;
import dev.stagesim.verify.Suite;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/** SGLang's radix cache, schedule policies and gateway tree, every operation of every case. */
public final class SglangSuite {
    private final SglangRules rules;

    private SglangSuite(SglangRules rules) {
        this.rules = rules;
    }

    /** Returns the suite of one version. */
    public static Suite of(SglangRules rules) {
        return Suite.ofCases(
                rules == SglangRules.V0_5 ? "sglang" : "sglang-" + rules.id(),
                "SGLang's radix cache, schedule policies, batches and gateway tree, version " + rules.id()
                        + "; a folder with cases/<case>/{case.json,expected.json}.",
                new SglangSuite(rules)::replay);
    }

    private CaseResult replay(Path folder) throws IOException {
        LocatedJson given = Json.read(folder.resolve("case.json"));
        LocatedJson expected = Json.read(folder.resolve("expected.json"));
        String family = given.get("family").asString();
        DifferenceList differences = new DifferenceList();
        switch (family) {
            case "radix" -> new RadixReplay(given, rules).compare(expected, differences);
            case "sched" -> SchedReplay.compare(given, expected, differences);
            case "tree" -> new TreeReplay(given).compare(expected, differences);
            case "engine", "pool" -> new EngineReplay(given, rules).compare(expected, differences);
            default -> throw given.get("family").expected("radix, sched, tree, engine or pool");
        }
        return differences.result(family, folder);
    }

    /** A key from runs of tokens that count up: [first token, count] each. */
    static RadixTree.Key key(LocatedJson runs, @Nullable String space) {
        Tokens.Builder builder = new Tokens.Builder();
        for (LocatedJson run : runs.items()) {
            long[] pair = run.asLongs();
            builder.run(pair[0], (int) pair[1]);
        }
        int length = builder.length();
        return new RadixTree.Key(builder.then(0), length, space);
    }

    /** Returns the policy with the name that SGLang gives it. */
    static SchedulePolicy policy(LocatedJson name) {
        return SchedulePolicy.valueOf(name.asString().toUpperCase(Locale.ROOT).replace('-', '_'));
    }

    static @Nullable String text(LocatedJson at) {
        return at.isNull() ? null : at.asString();
    }

    /** Operations on the gateway's tree. */
    private static final class TreeReplay {
        private final List<LocatedJson> ops;
        private final PrefixTree tree = new PrefixTree();
        private final List<String> tenants = new ArrayList<>();

        TreeReplay(LocatedJson given) {
            ops = given.get("ops").items();
        }

        void compare(LocatedJson expected, DifferenceList differences) {
            List<LocatedJson> results = expected.get("results").items();
            differences.same(expected.get("results"), results.size(), ops.size());
            for (int i = 0; i < ops.size() && differences.isEmpty(); i++) {
                LocatedJson op = ops.get(i);
                LocatedJson wanted = results.get(i);
                switch (op.get("op").asString()) {
                    case "insert" -> tree.insert(tenant(op), units(op));
                    case "evict" -> {
                        int limit = op.get("max_size").asInt();
                        tree.evict(tenant -> limit);
                    }
                    case "remove" -> tree.remove(tenant(op));
                    case "match" -> match(units(op), wanted, differences);
                    case "match_tenant" -> {
                        int matched = tree.match(tenant(op), units(op));
                        differences.same(wanted, wanted.get("matched").asInt(), matched);
                    }
                    default -> throw op.get("op").expected("insert, match, match_tenant, evict or remove");
                }
                wanted.find("sizes").ifPresent(sizes -> differences.same(sizes, map(sizes), named(tree.sizes())));
            }
            LocatedJson sizes = expected.get("final_sizes");
            differences.same(sizes, map(sizes), named(tree.countedSizes()));
        }

        private int tenant(LocatedJson op) {
            String name = op.get("tenant").asString();
            if (!tenants.contains(name)) {
                tenants.add(name);
            }
            return tenants.indexOf(name);
        }

        private static long[] units(LocatedJson op) {
            return op.get("text").asString().codePoints().asLongStream().toArray();
        }

        private void match(long[] text, LocatedJson wanted, DifferenceList differences) {
            PrefixTree.Found found = tree.match(text);
            differences.same(wanted, wanted.get("matched").asInt(), found.matched());
            differences.same(wanted, wanted.get("input").asInt(), text.length);
            if (found.matched() > 0) {
                differences.same(wanted, wanted.get("tenant").asString(), tenants.get(found.worker()));
            }
        }

        private Map<String, Integer> named(Map<Integer, Integer> sizes) {
            Map<String, Integer> named = new TreeMap<>();
            sizes.forEach((tenant, size) -> named.put(tenants.get(tenant), size));
            return named;
        }

        private static Map<String, Integer> map(LocatedJson sizes) {
            Map<String, Integer> map = new TreeMap<>();
            sizes.members().forEach((tenant, size) -> map.put(tenant, size.asInt()));
            return map;
        }
    }

    /** The order of a queue over a cache. */
    private static final class SchedReplay {
        private SchedReplay() {}

        static void compare(LocatedJson given, LocatedJson expected, DifferenceList differences) {
            List<LocatedJson> waiting = given.get("waiting").items();
            List<@Nullable String> keys = new ArrayList<>();
            given.get("running_routing_keys").items().forEach(key -> keys.add(SglangSuite.text(key)));
            QueueOrder.Order got = new QueueOrder(policy(given.get("policy")), priorities(given), cache(given))
                    .order(
                            waiting.stream().map(SchedReplay::waiting).toList(),
                            keys,
                            given.find("processed_tokens")
                                    .map(LocatedJson::asLong)
                                    .orElse(0L));
            List<String> names = waiting.stream()
                    .map(request -> request.get("rid").asString())
                    .toList();
            differences.same(expected.get("active_policy"), policy(expected.get("active_policy")), got.policy());
            differences.same(
                    expected.get("order"),
                    expected.get("order").asStrings(),
                    Arrays.stream(got.order()).mapToObj(names::get).toList());
            Map<String, Integer> wanted = new TreeMap<>();
            expected.get("matched").members().forEach((name, tokens) -> wanted.put(name, tokens.asInt()));
            Map<String, Integer> matched = new TreeMap<>();
            for (int i = 0; i < got.matched().length; i++) {
                matched.put(names.get(i), got.matched()[i]);
            }
            differences.same(expected.get("matched"), wanted, matched);
        }

        private static QueueOrder.Priorities priorities(LocatedJson given) {
            if (!given.get("enable_priority_scheduling").asBool()) {
                return QueueOrder.Priorities.IGNORED;
            }
            return given.get("low_values_first").asBool()
                    ? QueueOrder.Priorities.LOW_FIRST
                    : QueueOrder.Priorities.HIGH_FIRST;
        }

        private static @Nullable RadixTree cache(LocatedJson given) {
            if (given.get("cache_disabled").asBool()) {
                return null;
            }
            RadixTree cache = new RadixTree(
                    given.get("page_size").asInt(),
                    RadixTree.EvictionRule.of(RadixTree.Eviction.LRU, SglangRules.NEWEST));
            for (LocatedJson prompt : given.get("cached").items()) {
                cache.insert(SglangSuite.key(prompt, null), new int[0], 0, 0);
            }
            return cache;
        }

        private static QueueOrder.Waiting waiting(LocatedJson request) {
            RadixTree.Key prompt = SglangSuite.key(request.get("prompt"), null);
            return new QueueOrder.Waiting(
                    prompt,
                    prompt.length(),
                    request.get("priority").asInt(),
                    request.get("max_new_tokens").asInt(),
                    request.get("queue_entry").asLong(),
                    SglangSuite.text(request.get("routing_key")),
                    request.get("rid").asString(),
                    request.find("arrival_processed").map(LocatedJson::asLong).orElse(0L));
        }
    }
}
