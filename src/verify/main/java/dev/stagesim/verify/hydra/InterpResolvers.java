package dev.stagesim.verify.hydra;

import dev.stagesim.config.interp.Datum;
import dev.stagesim.config.interp.InterpolationException;
import dev.stagesim.config.interp.Resolver;
import dev.stagesim.config.interp.ResolverCall;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.math.BigDecimal;
import java.math.BigInteger;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;

/** The resolvers that the recorded interpolation cases call, as {@code base.json} describes them. */
final class InterpResolvers {
    private InterpResolvers() {}

    static List<Resolver> all() {
        return List.of(
                any("plus", (arguments, call) -> plus(arguments)),
                any("concat", (arguments, call) -> Datum.of(joined(arguments, call, ""))),
                any("ns.fn", (arguments, call) -> Datum.of("ns:" + joined(arguments, call, ","))),
                any("nargs", (arguments, call) -> Datum.of(arguments.size())),
                any("args", InterpResolvers::args),
                fixed("typ", 1, (arguments, call) -> Datum.of(type(arguments.get(0)))),
                fixed("ident", 1, (arguments, call) -> arguments.get(0)),
                fixed("boom", 0, (arguments, call) -> {
                    throw InterpolationException.failed("division by zero");
                }),
                fixed("mk", 0, (arguments, call) -> mk()),
                fixed(
                        "parentkeys",
                        0,
                        (arguments, call) -> parentKeys(call.parent().raw())),
                fixed(
                        "rootlen",
                        0,
                        (arguments, call) -> Datum.of(size(call.root().raw()))));
    }

    private static Resolver any(String name, Resolver.Body body) {
        return new Resolver(name, "...", "Recorded cases call it.", 0, Resolver.ANY, body);
    }

    private static Resolver fixed(String name, int count, Resolver.Body body) {
        return new Resolver(name, "...", "Recorded cases call it.", count, count, body);
    }

    private static Datum plus(List<Datum> arguments) {
        BigInteger sum = BigInteger.ZERO;
        for (Datum argument : arguments) {
            sum = sum.add(integer(argument));
        }
        return new Datum.Atom(ScalarNode.of(sum, sum.toString(), Origin.UNKNOWN));
    }

    /** Python's {@code int()}: truncates floats, reads text, counts true as 1. */
    private static BigInteger integer(Datum value) {
        Object content = value instanceof Datum.Atom atom ? atom.scalar().value() : null;
        if (content instanceof BigInteger number) {
            return number;
        }
        if (content instanceof Boolean flag) {
            return flag ? BigInteger.ONE : BigInteger.ZERO;
        }
        if (content instanceof Double number) {
            return new BigDecimal(number).toBigInteger();
        }
        if (content instanceof String text && text.strip().matches("[+-]?[0-9]+(_[0-9]+)*")) {
            return new BigInteger(text.strip().replace("_", ""));
        }
        throw InterpolationException.failed("not an integer");
    }

    private static String joined(List<Datum> arguments, ResolverCall call, String separator) {
        return arguments.stream().map(call::text).collect(Collectors.joining(separator));
    }

    private static Datum args(List<Datum> arguments, ResolverCall call) {
        return Datum.ofStrings(arguments.stream()
                .map(argument -> type(argument) + ":" + call.text(argument))
                .toList());
    }

    private static String type(Datum value) {
        if (value instanceof Datum.Section section) {
            return section.raw() instanceof ListNode ? "ListConfig" : "DictConfig";
        }
        if (value instanceof Datum.Atom atom) {
            return switch (atom.scalar().kind()) {
                case NULL -> "NoneType";
                case BOOL -> "bool";
                case INT -> "int";
                case FLOAT -> "float";
                case STRING -> "str";
            };
        }
        return value instanceof Datum.Sequence ? "list" : "dict";
    }

    private static Datum mk() {
        Map<String, Node> entries = new LinkedHashMap<>();
        entries.put("x", ScalarNode.of(1, Origin.UNKNOWN));
        entries.put("y", ScalarNode.of("${a}", Origin.UNKNOWN));
        return Datum.of(MapNode.of(entries, Origin.UNKNOWN));
    }

    private static Datum parentKeys(Node parent) {
        if (parent instanceof MapNode map) {
            return Datum.ofStrings(map.keys().stream().sorted().toList());
        }
        throw InterpolationException.failed("a list has no keys");
    }

    private static int size(Node root) {
        return root instanceof MapNode map
                ? map.keys().size()
                : ((ListNode) root).items().size();
    }
}
