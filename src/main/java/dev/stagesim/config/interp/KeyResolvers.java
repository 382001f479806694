package dev.stagesim.config.interp;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.util.List;

/** Resolvers that look at other keys of the configuration. */
final class KeyResolvers {
    private static final String DEPRECATED = "'$OLD_KEY' is deprecated, use '$NEW_KEY'";

    private KeyResolvers() {}

    static List<Resolver> all() {
        return List.of(
                new Resolver(
                        "oc.select",
                        "key[, default]",
                        "The value of a key, or the default (null) when it does not exist or was not given.",
                        1,
                        2,
                        KeyResolvers::select),
                new Resolver(
                        "oc.deprecated",
                        "key[, message]",
                        "The value of the key that replaces this one, with a warning.",
                        1,
                        2,
                        KeyResolvers::deprecated),
                new Resolver("oc.dict.keys", "key", "The keys of a section, as a list.", 1, 1, KeyResolvers::keys),
                new Resolver(
                        "oc.dict.values", "key", "The values of a section, as a list.", 1, 1, KeyResolvers::values));
    }

    private static Datum select(List<Datum> arguments, ResolverCall call) {
        return call.select(key("oc.select", arguments.get(0), call))
                .filter(value -> !isMissing(value))
                .orElseGet(() -> arguments.size() > 1 ? arguments.get(1) : Datum.ofNull());
    }

    private static boolean isMissing(Datum value) {
        return value instanceof Datum.Atom atom && atom.scalar().isMissing();
    }

    private static Datum deprecated(List<Datum> arguments, ResolverCall call) {
        String key = key("oc.deprecated", arguments.get(0), call);
        String message = arguments.size() > 1 ? key("oc.deprecated", arguments.get(1), call) : DEPRECATED;
        Datum value = call.select(key)
                .orElseThrow(() -> InterpolationException.failed("oc.deprecated: key '" + key + "' not found"));
        call.warn(message.replace("$OLD_KEY", call.path()).replace("$NEW_KEY", call.absolute(key)));
        return value;
    }

    private static Datum keys(List<Datum> arguments, ResolverCall call) {
        MapNode map = map("oc.dict.keys", arguments.get(0), call);
        List<Node> names = map.keys().stream()
                .map(name -> (Node) ScalarNode.of(name, Origin.UNKNOWN))
                .toList();
        return call.section(new ListNode(names, Origin.UNKNOWN));
    }

    /** A list of references, so that a value that fails does so only when it is read. */
    private static Datum values(List<Datum> arguments, ResolverCall call) {
        MapNode map = map("oc.dict.values", arguments.get(0), call);
        String key = call.text(arguments.get(0));
        String prefix = key.startsWith(".") ? "." + key : key;
        List<Node> references = map.keys().stream()
                .map(name -> (Node) ScalarNode.of("${" + prefix + "." + name + "}", Origin.UNKNOWN))
                .toList();
        return call.section(new ListNode(references, Origin.UNKNOWN));
    }

    private static MapNode map(String resolver, Datum argument, ResolverCall call) {
        String key = key(resolver, argument, call);
        Datum found = call.selectGiven(key)
                .orElseThrow(() -> InterpolationException.failed(resolver + ": key '" + key + "' not found"));
        if (found instanceof Datum.Section section && section.raw() instanceof MapNode map) {
            return map;
        }
        throw InterpolationException.failed(resolver + " needs the key of a section, but '" + key + "' is none");
    }

    private static String key(String resolver, Datum argument, ResolverCall call) {
        if (!argument.isString()) {
            throw InterpolationException.failed(resolver + " needs text, got " + call.text(argument));
        }
        return call.text(argument);
    }
}
