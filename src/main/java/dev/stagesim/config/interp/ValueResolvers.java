package dev.stagesim.config.interp;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Suggest;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** Resolvers that make values: from the environment, from text, from literals. */
final class ValueResolvers {
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
        String value = arguments.get(0).isString() ? environment.get(name) : null;
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

    /** Text is a literal, lines of {@code key: value}, or a bare word: the only key of a map, without value. */
    private static Datum fromText(ScalarNode scalar, ResolverCall call) {
        String text = scalar.text().strip();
        if (scalar.kind() != ScalarNode.Kind.STRING) {
            throw InterpolationException.failed("oc.create needs a map, a list or text, got " + text);
        }
        if (text.isEmpty()) {
            return call.section(MapNode.empty());
        }
        if (text.lines().allMatch(line -> line.matches("[^\\s{\\[:'\"][^:]*:(\\s.*)?"))) {
            return lines(text, call);
        }
        Datum value = call.decode(text);
        if (!(value instanceof Datum.Atom)) {
            return call.section(Nodes.raw(value));
        }
        if (!value.isString()) {
            throw InterpolationException.failed("oc.create needs a map, a list or text, got " + text);
        }
        return call.section(MapNode.of(Map.of(text, ScalarNode.ofNull(Origin.UNKNOWN)), Origin.UNKNOWN));
    }

    private static Datum lines(String text, ResolverCall call) {
        Map<String, Node> entries = new LinkedHashMap<>();
        text.lines().forEach(line -> {
            int colon = line.indexOf(':');
            String value = line.substring(colon + 1).strip();
            Datum made = value.isEmpty()
                    ? Datum.ofNull()
                    : value.contains("${") ? Datum.of(value) : call.decode(value);
            entries.put(line.substring(0, colon).strip(), Nodes.raw(made));
        });
        return call.section(MapNode.of(entries, Origin.UNKNOWN));
    }
}
