package dev.stagesim.config.interp;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Suggest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Pattern;

/** Resolvers that create values from the environment, from text or from literals. */
final class ValueResolvers {
    /** Numbers and booleans in the notations of configuration files. */
    private static final Pattern SCALAR = Pattern.compile(
            "[-+]?(0x[0-9a-fA-F_]+|0b[01_]+|[0-9][0-9_]*(:[0-9]+)*\\.?[0-9_]*([eE][-+]?[0-9]+)?|\\.[0-9][0-9_]*|\\.(inf|nan))"
                    + "|(?i:true|false|yes|no|on|off)");

    private static final Pattern NO_WORD = Pattern.compile("[*&!|>%@`'\"#,?]");

    private ValueResolvers() {}

    static List<Resolver> all(ResolverContext context) {
        return List.of(
                new Resolver(
                        "oc.env",
                        "variable[, default]",
                        "An environment variable as text; a default that is not null becomes text too.",
                        1,
                        2,
                        (arguments, call) -> env(arguments, call, context.environment())),
                new Resolver(
                        "oc.decode",
                        "text",
                        "Text read as a value: number, boolean, null, list, map or interpolation.",
                        1,
                        1,
                        (arguments, call) -> decode(arguments.get(0), call)),
                new Resolver(
                        "oc.create",
                        "map, list or text",
                        "A section from a literal or from text; interpolations in it are evaluated.",
                        1,
                        1,
                        (arguments, call) -> create(arguments.get(0), call)));
    }

    private static Datum env(List<Datum> arguments, ResolverCall call, Map<String, String> environment) {
        String name = call.text(arguments.get(0));
        if (!arguments.get(0).isString()) {
            throw InterpolationException.failed("oc.env needs the name of a variable, got " + name);
        }
        String value = environment.get(name);
        if (value != null) {
            return Datum.of(value);
        }
        if (arguments.size() < 2) {
            throw InterpolationException.of(
                    InterpolationException.Kind.RESOLUTION,
                    "environment variable '" + name + "' is not set",
                    Suggest.near(name, environment.keySet()));
        }
        Datum fallback = arguments.get(1);
        return fallback.isNull() ? fallback : Datum.of(call.text(fallback));
    }

    private static Datum decode(Datum text, ResolverCall call) {
        if (text.isNull()) {
            return text;
        }
        if (!(text instanceof Datum.Atom atom) || !text.isString()) {
            throw InterpolationException.failed("oc.decode needs text, got " + call.text(text));
        }
        return call.decode(atom.scalar().text());
    }

    private static Datum create(Datum from, ResolverCall call) {
        if (from instanceof Datum.Section section) {
            return call.section(section.raw());
        }
        if (from instanceof Datum.Atom atom) {
            return from.isNull() ? from : fromText(atom.scalar(), call);
        }
        return call.section(Nodes.raw(from));
    }

    /**
     * Parses text as a literal, as lines of {@code key: value} or {@code - item}, or as a bare word, which becomes the
     * only key of a map.
     */
    private static Datum fromText(ScalarNode scalar, ResolverCall call) {
        String text = scalar.text().strip();
        if (scalar.kind() != ScalarNode.Kind.STRING || SCALAR.matcher(text).matches()) {
            throw InterpolationException.failed("oc.create needs a map, a list or text, got " + text);
        }
        if (text.isEmpty() || text.equals("~") || text.equalsIgnoreCase("null")) {
            return call.section(MapNode.empty());
        }
        if (text.lines().allMatch(line -> line.matches("[^\\s{\\[:'\"-][^:]*:(\\s.*)?"))) {
            return entries(text, call);
        }
        if (text.lines().allMatch(line -> line.matches("-(\\s.*)?"))) {
            List<Node> items = text.lines()
                    .map(line -> item(line.substring(1).strip(), call))
                    .toList();
            return call.section(new ListNode(items, Origin.UNKNOWN));
        }
        if (text.startsWith("{") || text.startsWith("[")) {
            return call.section(Nodes.raw(call.decode(text)));
        }
        if (NO_WORD.matcher(text).lookingAt()) {
            throw InterpolationException.failed("oc.create cannot read " + text);
        }
        return call.section(MapNode.of(Map.of(text, ScalarNode.ofNull(Origin.UNKNOWN)), Origin.UNKNOWN));
    }

    private static Datum entries(String text, ResolverCall call) {
        Map<String, Node> entries = new LinkedHashMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            String key = line.substring(0, colon).strip();
            entries.put(key, item(line.substring(colon + 1).strip(), call));
        });
        return call.section(MapNode.of(entries, Origin.UNKNOWN));
    }

    private static Node item(String text, ResolverCall call) {
        if (text.isEmpty()) {
            return ScalarNode.ofNull(Origin.UNKNOWN);
        }
        return text.contains("${") ? ScalarNode.of(text, Origin.UNKNOWN) : Nodes.raw(call.decode(text));
    }
}
