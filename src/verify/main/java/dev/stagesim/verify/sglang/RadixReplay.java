package dev.stagesim.verify.sglang;

import dev.stagesim.io.json.JsonValue;
import dev.stagesim.io.json.LocatedJson;
import dev.stagesim.sim.serving.memory.RadixTree;
import dev.stagesim.sim.serving.memory.SglangRule;
import dev.stagesim.sim.serving.memory.SglangRules;
import dev.stagesim.verify.DifferenceList;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.stream.IntStream;

/** Operations on a radix cache. */
final class RadixReplay {
    private final List<LocatedJson> ops;
    private final RadixTree tree;
    private final List<RadixTree.Node> locked = new ArrayList<>();

    private final SglangRules rules;

    RadixReplay(LocatedJson given, SglangRules rules) {
        this.rules = rules;
        ops = given.get("ops").items();
        RadixTree.Eviction order =
                RadixTree.Eviction.valueOf(given.get("eviction").asString().toUpperCase(Locale.ROOT));
        RadixTree.EvictionRule usual = RadixTree.EvictionRule.of(order, rules);
        tree = new RadixTree(
                given.get("page_size").asInt(),
                new RadixTree.EvictionRule(
                        order,
                        setting(given, order == RadixTree.Eviction.SLRU ? "protected_threshold" : "threshold")
                                .orElse(usual.threshold()),
                        setting(given, "next_prompt_estimate").orElse(usual.nextPrompt()),
                        rules));
    }

    private static Optional<Integer> setting(LocatedJson given, String name) {
        return given.find("eviction_config")
                .filter(config -> !config.isNull())
                .flatMap(config -> config.find(name))
                .map(LocatedJson::asInt);
    }

    void compare(LocatedJson expected, DifferenceList differences) {
        List<LocatedJson> results = expected.get("results").items();
        differences.same(expected.get("results"), results.size(), ops.size());
        for (int i = 0; i < ops.size() && differences.isEmpty(); i++) {
            LocatedJson wanted = results.get(i);
            Map<String, String> got = apply(ops.get(i));
            got.put("evictable", Integer.toString(tree.evictable()));
            got.put("protected", Integer.toString(tree.locked()));
            differences.same(wanted, wanted.members().keySet(), got.keySet());
            got.forEach((name, value) ->
                    wanted.find(name).ifPresent(figure -> differences.same(figure, figures(figure), value)));
        }
        List<String> rows = new ArrayList<>();
        list(tree.root(), 0, rows);
        List<String> wanted = expected.get("final_tree").items().stream()
                .map(RadixReplay::row)
                .toList();
        differences.same(expected.get("final_tree"), wanted, rows);
        differences.same(expected.get("total"), expected.get("total").asInt(), tree.evictable() + tree.locked());
    }

    /** A number, or the numbers of a list or of a list of lists, as text. */
    private static String figures(LocatedJson value) {
        if (value.value() instanceof JsonValue.Arr array) {
            return array.items().stream().anyMatch(JsonValue.Arr.class::isInstance)
                    ? value.items().stream().map(RadixReplay::figures).toList().toString()
                    : Arrays.toString(value.asLongs());
        }
        return Long.toString(value.asLong());
    }

    private static String row(LocatedJson row) {
        List<String> texts = new ArrayList<>();
        List<LocatedJson> items = row.items();
        for (int i = 0; i < items.size(); i++) {
            texts.add(
                    i == 3
                            ? String.valueOf(SglangSuite.text(items.get(i)))
                            : Long.toString(items.get(i).asLong()));
        }
        return texts.toString();
    }

    private Map<String, String> apply(LocatedJson op) {
        Map<String, String> got = new LinkedHashMap<>();
        switch (op.get("op").asString()) {
            case "insert" -> {
                RadixTree.Key key = key(op);
                int start = op.get("value_start").asInt();
                int[] slots = IntStream.range(start, start + key.length()).toArray();
                int before = tree.insert(key, slots, op.get("priority").asInt(), inserted(op));
                got.put("prefix_len", Integer.toString(before));
            }
            case "match" -> {
                RadixTree.Found found = tree.match(key(op));
                got.put("matched", Integer.toString(found.tokens()));
                got.put("slots", Arrays.toString(tree.slots(found.node())));
            }
            case "lock" -> {
                RadixTree.Found found = tree.match(key(op));
                got.put("matched", Integer.toString(found.tokens()));
                got.put("delta", Integer.toString(-tree.lock(found.node())));
                locked.add(found.node());
            }
            case "unlock" ->
                got.put(
                        "delta",
                        Integer.toString(
                                tree.unlock(locked.remove(op.get("index").asInt()))));
            case "evict" -> {
                List<String> freed = new ArrayList<>();
                int count = tree.evict(op.get("tokens").asInt(), slots -> freed.add(Arrays.toString(slots)));
                got.put("evicted", Integer.toString(count));
                got.put("freed_slots", freed.toString());
            }
            default -> throw op.get("op").expected("insert, match, lock, unlock or evict");
        }
        return got;
    }

    private int inserted(LocatedJson op) {
        if (rules.has(SglangRule.COUNTS_HITS_OF_CHUNKS)) {
            return op.get("inserted_len").asInt();
        }
        return op.get("chunked").asBool() ? Integer.MAX_VALUE : 0;
    }

    private static RadixTree.Key key(LocatedJson op) {
        return SglangSuite.key(op.get("key"), SglangSuite.text(op.get("extra_key")));
    }

    private static void list(RadixTree.Node node, int depth, List<String> rows) {
        List<RadixTree.Node> children = new ArrayList<>(node.children());
        children.sort(Comparator.comparingLong(RadixTree.Node::firstToken)
                .thenComparing(child -> child.space() == null ? "" : child.space()));
        for (RadixTree.Node child : children) {
            rows.add(List.of(
                            depth,
                            child.tokens(),
                            child.firstToken(),
                            String.valueOf(child.space()),
                            child.locks(),
                            child.hits(),
                            child.priority())
                    .toString());
            list(child, depth + 1, rows);
        }
    }
}
