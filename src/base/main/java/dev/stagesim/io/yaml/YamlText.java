package dev.stagesim.io.yaml;

import dev.stagesim.io.json.JsonValue;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.Map;
import org.yaml.snakeyaml.DumperOptions;
import org.yaml.snakeyaml.DumperOptions.FlowStyle;
import org.yaml.snakeyaml.DumperOptions.ScalarStyle;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.nodes.Node;
import org.yaml.snakeyaml.nodes.Tag;
import org.yaml.snakeyaml.representer.Representer;

/**
 * Writes YAML from JSON values in block style.
 *
 * <p>Strings are plain only if every version of YAML reads them as strings. Strings with line breaks are literal blocks.
 */
public final class YamlText {
    /** A letter or slash, then characters without a special meaning in YAML. {@link #WORDS} lists the exceptions. */
    private static final String PLAIN = "[A-Za-z/][A-Za-z0-9_./@+-]*(:[0-9]+)?";

    private static final String WORDS = "(?i)y|n|yes|no|true|false|on|off|null|nan|inf";

    private YamlText() {}

    /** Returns documents separated by {@code ---}. */
    public static String of(JsonValue... documents) {
        DumperOptions options = new DumperOptions();
        options.setDefaultFlowStyle(FlowStyle.BLOCK);
        options.setSplitLines(false);
        options.setIndent(4);
        options.setIndicatorIndent(2);
        Strings strings = new Strings(options);
        return new Yaml(strings, options)
                .dumpAll(Arrays.stream(documents).map(YamlText::plain).iterator());
    }

    private static Object plain(JsonValue value) {
        if (value instanceof JsonValue.Obj object) {
            Map<String, Object> map = new LinkedHashMap<>();
            object.members().forEach((name, member) -> map.put(name, plain(member)));
            return map;
        }
        if (value instanceof JsonValue.Arr array) {
            return array.items().stream().map(YamlText::plain).toList();
        }
        if (value instanceof JsonValue.Str text) {
            return text.value();
        }
        if (value instanceof JsonValue.Int number) {
            return number.value();
        }
        if (value instanceof JsonValue.Big number) {
            return number.value();
        }
        if (value instanceof JsonValue.Real number) {
            return number.value();
        }
        if (value instanceof JsonValue.Bool bool) {
            return bool.value();
        }
        throw new IllegalArgumentException("a manifest cannot contain null: omit the member");
    }

    /** Chooses the style of strings. */
    private static final class Strings extends Representer {
        Strings(DumperOptions options) {
            super(options);
        }

        @Override
        protected Node representScalar(Tag tag, String value, ScalarStyle style) {
            return super.representScalar(tag, value, tag.equals(Tag.STR) ? style(value) : style);
        }

        private static ScalarStyle style(String value) {
            if (value.matches("\\P{Cntrl}[\\P{Cntrl}\\n]*") && value.contains("\n") && !value.startsWith(" ")) {
                return ScalarStyle.LITERAL;
            }
            boolean isPlain = value.matches(PLAIN) && !value.matches(WORDS);
            return isPlain ? ScalarStyle.PLAIN : ScalarStyle.DOUBLE_QUOTED;
        }
    }
}
