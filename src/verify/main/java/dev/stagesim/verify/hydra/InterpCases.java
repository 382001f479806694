package dev.stagesim.verify.hydra;

import dev.stagesim.config.interp.Datum;
import dev.stagesim.config.interp.InterpolationException;
import dev.stagesim.config.interp.Interpolator;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The {@code interp} cases: an expression is put at a path of a base tree, and the path is read.
 *
 * <p>Successful cases must give the same typed value, failing ones an error of the same class.
 */
final class InterpCases {
    /** Spec section 2, rule 9: our map keys are the text they were written as, so typed keys compare by text. */
    static final String TEXT_KEYS = "hydra-2.9-map-keys-are-text";

    private final MapNode base;
    private final Resolvers resolvers;

    private InterpCases(MapNode base, Map<String, String> environment) {
        this.base = base;
        ResolverContext context =
                new ResolverContext(environment, Instant.EPOCH.atZone(ZoneOffset.UTC), MapNode.empty());
        this.resolvers = Resolvers.standard(context).with(InterpResolvers.all());
    }

    /** Opens the folder with {@code base.json}. */
    static InterpCases open(Path folder) throws IOException {
        LocatedJson file = Json.read(folder.resolve("base.json"));
        Map<String, String> environment = new LinkedHashMap<>();
        file.get("env").members().forEach((name, value) -> environment.put(name, value.asString()));
        return new InterpCases((MapNode) NodeJson.node(file.get("base").value(), Origin.UNKNOWN), environment);
    }

    /**
     * Outcome of a case.
     *
     * @param why differences; empty if the case passed
     * @param rule documented deviation by which it passed
     */
    record Outcome(Optional<String> why, Optional<String> rule) {
        static final Outcome PASSED = new Outcome(Optional.empty(), Optional.empty());

        static Outcome failed(String why) {
            return new Outcome(Optional.of(why), Optional.empty());
        }

        static Outcome by(String rule) {
            return new Outcome(Optional.empty(), Optional.of(rule));
        }
    }

    Outcome run(LocatedJson recorded) {
        boolean ok = recorded.get("ok").asBool();
        String at = recorded.get("at").asString();
        try {
            Datum value = Interpolator.of(tree(recorded), resolvers, HydraPart.dialect(recorded))
                    .evaluate(at);
            return ok
                    ? compare(recorded.get("value"), value)
                    : Outcome.failed("no error, but " + TypedJson.text(value, false));
        } catch (InterpolationException e) {
            String kind = className(e.kind());
            if (ok) {
                return Outcome.failed(kind + ": " + e.getMessage());
            }
            String expected = recorded.get("error").get("class").asString();
            return expected.equals(kind)
                    ? Outcome.PASSED
                    : Outcome.failed("expected " + expected + ", got " + kind + ": " + e.getMessage());
        }
    }

    private static Outcome compare(LocatedJson expected, Datum value) {
        String wanted = TypedJson.text(expected);
        if (wanted.equals(TypedJson.text(value, false))) {
            return Outcome.PASSED;
        }
        return TypedJson.withTextKeys(expected).equals(TypedJson.text(value, true))
                ? Outcome.by(TEXT_KEYS)
                : Outcome.failed("expected " + wanted + ", got " + TypedJson.text(value, false));
    }

    private MapNode tree(LocatedJson recorded) {
        MapNode tree = base;
        Optional<LocatedJson> extra = recorded.find("extra");
        if (extra.isPresent()) {
            for (Map.Entry<String, LocatedJson> entry : extra.get().members().entrySet()) {
                tree = tree.with(entry.getKey(), NodeJson.node(entry.getValue().value(), Origin.UNKNOWN));
            }
        }
        List<String> path = List.of(recorded.get("at").asString().split("\\."));
        return (MapNode) put(tree, path, NodeJson.node(recorded.get("expr").value(), Origin.UNKNOWN));
    }

    private static Node put(Node tree, List<String> path, Node value) {
        if (path.isEmpty()) {
            return value;
        }
        List<String> rest = path.subList(1, path.size());
        if (tree instanceof ListNode list) {
            List<Node> items = new ArrayList<>(list.items());
            int index = Integer.parseInt(path.get(0));
            if (index == items.size()) {
                items.add(value);
            } else {
                items.set(index, put(items.get(index), rest, value));
            }
            return new ListNode(items, list.origin());
        }
        MapNode map = (MapNode) tree;
        Node below = map.get(path.get(0));
        return map.with(path.get(0), put(below == null ? MapNode.empty() : below, rest, value));
    }

    /** Returns OmegaConf's name of the error. */
    static String className(InterpolationException.Kind kind) {
        return switch (kind) {
            case SYNTAX -> "GrammarParseError";
            case KEY -> "InterpolationKeyError";
            case MISSING -> "InterpolationToMissingValueError";
            case RESOLVER -> "UnsupportedInterpolationType";
            case RESOLUTION -> "InterpolationResolutionError";
        };
    }
}
