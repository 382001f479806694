package dev.stagesim.config.bind;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigList;
import com.typesafe.config.ConfigObject;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.ConfigValue;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.math.BigInteger;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** Reads the HOCON text of a default. */
final class HoconText {
    private HoconText() {}

    /** Parses one value; empty text is the empty string. Throws IllegalStateException when it is not HOCON. */
    static Node parse(String text) {
        if (text.isEmpty() || text.equals(ScalarNode.MISSING)) {
            return ScalarNode.of(text, Origin.DEFAULT);
        }
        try {
            ConfigValue value = ConfigFactory.parseString("v = " + text).root().get("v");
            if (value == null) {
                throw new IllegalStateException("a @Key default is not one value: " + text);
            }
            return convert(value);
        } catch (ConfigException e) {
            throw new IllegalStateException("a @Key default is not HOCON: " + text, e);
        }
    }

    private static Node convert(ConfigValue value) {
        return switch (value.valueType()) {
            case OBJECT -> map((ConfigObject) value);
            case LIST -> list((ConfigList) value);
            case NULL -> ScalarNode.ofNull(Origin.DEFAULT);
            case BOOLEAN -> ScalarNode.of((Boolean) value.unwrapped(), Origin.DEFAULT);
            case STRING -> ScalarNode.of((String) value.unwrapped(), Origin.DEFAULT);
            case NUMBER -> number(value);
        };
    }

    private static Node number(ConfigValue value) {
        String text = value.render(ConfigRenderOptions.concise());
        return text.matches("[+-]?\\d+")
                ? ScalarNode.of(new BigInteger(text), text, Origin.DEFAULT)
                : ScalarNode.of(Double.parseDouble(text), text, Origin.DEFAULT);
    }

    /** Keys come sorted, because the parser does not keep their order. */
    private static Node map(ConfigObject object) {
        Map<String, Node> entries = new TreeMap<>();
        object.forEach((key, value) -> entries.put(key, convert(value)));
        return MapNode.of(entries, Origin.DEFAULT);
    }

    private static Node list(ConfigList values) {
        List<Node> items = new ArrayList<>();
        values.forEach(value -> items.add(convert(value)));
        return new ListNode(items, Origin.DEFAULT);
    }
}
