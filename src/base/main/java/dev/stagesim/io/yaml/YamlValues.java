package dev.stagesim.io.yaml;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.JsonValue;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.yaml.snakeyaml.nodes.MappingNode;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.NodeTuple;
import org.yaml.snakeyaml.nodes.ScalarNode;
import org.yaml.snakeyaml.nodes.SequenceNode;
import org.yaml.snakeyaml.nodes.Tag;

/** Converts composed YAML nodes to JSON values. */
final class YamlValues {
    /** Maximum number of values, so that nested aliases cannot exhaust the memory. */
    private static final int MAX_VALUES = 10_000_000;

    private final String source;
    private final boolean python;
    private final IdentityHashMap<Node, Boolean> open = new IdentityHashMap<>();
    private int valueCount;

    YamlValues(String source, Yaml.Rules rules) {
        this.source = source;
        this.python = rules == Yaml.Rules.PYTHON;
    }

    JsonValue value(Node node) {
        if (++valueCount > MAX_VALUES) {
            throw problem(node, "more than " + MAX_VALUES + " values, aliases counted at each use");
        }
        if (node instanceof ScalarNode scalar) {
            return scalar(scalar);
        }
        if (open.put(node, true) != null) {
            throw problem(node, "an anchor that contains itself");
        }
        JsonValue value = node instanceof SequenceNode sequence ? sequence(sequence) : mapping((MappingNode) node);
        open.remove(node);
        return value;
    }

    private JsonValue sequence(SequenceNode node) {
        List<JsonValue> items = new ArrayList<>();
        node.getValue().forEach(item -> items.add(value(item)));
        return new JsonValue.Arr(items);
    }

    private JsonValue mapping(MappingNode node) {
        Map<String, JsonValue> members = new LinkedHashMap<>();
        Map<String, JsonValue> merged = new LinkedHashMap<>();
        for (NodeTuple tuple : node.getValue()) {
            Node key = tuple.getKeyNode();
            if (key.getTag().equals(Tag.MERGE)) {
                merge(tuple.getValueNode(), merged);
            } else if (!(key instanceof ScalarNode name)) {
                throw problem(key, "a key that is not a scalar");
            } else if (members.put(key(name), value(tuple.getValueNode())) != null) {
                throw problem(key, "the key '" + name.getValue() + "' twice");
            }
        }
        merged.forEach(members::putIfAbsent);
        return new JsonValue.Obj(members);
    }

    /** Returns the text of a key. For Python, the key of a number, boolean or null is its JSON text. */
    private String key(ScalarNode node) {
        if (!python || node.getTag().equals(Tag.STR)) {
            return node.getValue();
        }
        JsonValue value = scalar(node);
        return value instanceof JsonValue.Str text ? text.value() : Json.compact(value);
    }

    private void merge(Node node, Map<String, JsonValue> into) {
        List<Node> sources = node instanceof SequenceNode many ? many.getValue() : List.of(node);
        for (Node each : sources) {
            if (!(value(each) instanceof JsonValue.Obj object)) {
                throw problem(each, "'<<' merges a value that is not a mapping");
            }
            object.members().forEach(into::putIfAbsent);
        }
    }

    private JsonValue scalar(ScalarNode node) {
        String text = node.getValue();
        Tag tag = node.getTag();
        if (tag.equals(Tag.INT)) {
            return integer(node, text);
        }
        if (tag.equals(Tag.FLOAT)) {
            return new JsonValue.Real(real(node, text));
        }
        if (tag.equals(Tag.BOOL)) {
            return JsonValue.of(List.of("true", "yes", "on").contains(text.toLowerCase(Locale.ROOT)));
        }
        if (tag.equals(Tag.NULL)) {
            return JsonValue.NULL;
        }
        if (python && tag.equals(Tag.TIMESTAMP)) {
            throw problem(node, "the date " + text + "; put it in quotes to have it as text");
        }
        if (tag.equals(Tag.STR) || tag.equals(Tag.TIMESTAMP) || tag.equals(Tag.MERGE)) {
            return JsonValue.of(text);
        }
        throw problem(node, "the tag " + tag.getValue() + ", expected plain data");
    }

    private JsonValue integer(ScalarNode node, String text) {
        String digits = text.replace("_", "");
        boolean negative = digits.startsWith("-");
        String bare = negative || digits.startsWith("+") ? digits.substring(1) : digits;
        try {
            BigInteger number = magnitude(bare);
            BigInteger signed = negative ? number.negate() : number;
            return signed.bitLength() < Long.SIZE ? JsonValue.of(signed.longValue()) : new JsonValue.Big(signed);
        } catch (NumberFormatException e) {
            throw problem(node, "'" + text + "', which is not an integer");
        }
    }

    private static BigInteger magnitude(String bare) {
        if (bare.startsWith("0b")) {
            return new BigInteger(bare.substring(2), 2);
        }
        if (bare.startsWith("0x")) {
            return new BigInteger(bare.substring(2), 16);
        }
        if (bare.indexOf(':') >= 0) {
            BigInteger sum = BigInteger.ZERO;
            for (String part : bare.split(":", -1)) {
                sum = sum.multiply(BigInteger.valueOf(60)).add(new BigInteger(part));
            }
            return sum;
        }
        return bare.length() > 1 && bare.startsWith("0") ? new BigInteger(bare.substring(1), 8) : new BigInteger(bare);
    }

    private double real(ScalarNode node, String text) {
        String digits = text.replace("_", "").toLowerCase(Locale.ROOT);
        boolean negative = digits.startsWith("-");
        String bare = negative || digits.startsWith("+") ? digits.substring(1) : digits;
        double sign = negative ? -1 : 1;
        if (bare.equals(".inf")) {
            return sign * Double.POSITIVE_INFINITY;
        }
        if (bare.equals(".nan")) {
            return Double.NaN;
        }
        try {
            double sum = 0;
            for (String part : bare.split(":", -1)) {
                sum = sum * 60 + Double.parseDouble(part);
            }
            return sign * sum;
        } catch (NumberFormatException e) {
            throw problem(node, "'" + text + "', which is not a number");
        }
    }

    private StageException problem(Node node, String what) {
        String place = source + ":" + (node.getStartMark().getLine() + 1);
        return StageException.input(Problem.artifact(place, "not usable YAML: found " + what));
    }
}
