package dev.stagesim.config.hocon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigRenderOptions;
import dev.stagesim.config.ConfigText;
import dev.stagesim.config.Trees;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.StageException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The product's reader and the HOCON library read the same values. */
class LibraryAgreementTest {
    private static final List<String> LINES = List.of(
            "a = 1",
            "a = x",
            "a.b = 2",
            "a { c = [1, 2] }",
            "b : \"q\" r",
            "b { d.e = null }",
            "c = [ {x = 1}, [2] ]",
            "c = [1] [2]",
            "\"k.l\".m = true",
            "d = 1.50",
            "d = -3e2",
            "e = \"\"\"x\ny\"\"\"",
            "e = []",
            "f = {}",
            "# note",
            "f = yes // note",
            "g = 1 2",
            "g { h { i = \"\" } }",
            "g = [\n1\n2,\n3,\n]",
            "h = { a = 1 } { b = 2 }",
            "a b c = 5",
            "i = a,",
            "j = http.x/y",
            "k = \"\\u0041\\n\"");

    @Test
    void agreesOnRandomDocuments() {
        qt().withExamples(300)
                .forAll(lists().of(integers().between(0, LINES.size() - 1)).ofSizeBetween(0, 12))
                .checkAssert(picks ->
                        agree(String.join("\n", picks.stream().map(LINES::get).toList())));
    }

    /** Fragments that are legal only in some places. */
    private static final List<String> PARTS = List.of(
            "${a}",
            "${?a.b}",
            "${",
            "${?",
            "${a..b}",
            "${ }",
            "${a b}",
            "${\"x\".y}",
            "${a.}",
            "${a=b}",
            "${\"}",
            "}",
            "{",
            "[",
            "]",
            "=",
            ":",
            "+=",
            "\n",
            ",",
            " ",
            ".",
            "a",
            "b",
            "1",
            "null",
            "x.y",
            "\"q\"",
            "\"",
            "\"\"\"",
            "\\",
            "#",
            "//",
            "include \"x\"",
            "include file(\"x\")",
            "include",
            "\\u00",
            "-",
            "$",
            "a = ",
            "\nb = ",
            "l = [",
            "m { ",
            "${a}{}",
            "[1]",
            "{c=1}",
            "?",
            "\t",
            "\u00a0",
            "1e",
            "+",
            "a += ",
            "&",
            "\r\n",
            "*/",
            "@",
            "a b",
            "url(",
            ")");

    @Test
    void agreesOnInvalidDocuments() {
        qt().withExamples(20_000)
                .forAll(
                        lists().of(integers().between(0, PARTS.size() - 1)).ofSizeBetween(1, 8),
                        integers().between(0, 3))
                .checkAssert((picks, shape) -> {
                    String parts =
                            String.join("", picks.stream().map(PARTS::get).toList());
                    String text =
                            switch (shape) {
                                case 0 -> parts;
                                case 1 -> "k = " + parts;
                                case 2 -> "k = [" + parts + "]";
                                default -> "k { " + parts + " }";
                            };
                    if (!legal(() -> ConfigFactory.parseString(text))) {
                        assertThat(legal(() -> ConfigFileReader.parse(text, "test")))
                                .as(text)
                                .isFalse();
                    }
                });
    }

    /** Returns true for valid input. Only input errors may be thrown. */
    private static boolean legal(Runnable reading) {
        try {
            reading.run();
            return true;
        } catch (ConfigException | StageException wrong) {
            return false;
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{ a = 1, b = 2 }", "{\n}\n", "", "a\n= 1", "a =\n 1", "a{b{c=1}}", "a:1,b:2",
                        "a.b.c = 1\na.b { d = 2 }",
                "a = \"\"", "a = x\ty", "a += 1\na += 2", "a = [1]\na += [2]", "x = 1e400x", "x = 0x10", "x = 1.2.3",
                        "x = -",
                "\"\" = 1", "a = // c\n 1", "a = [ ] # x", "x = 5.", "x = 00", "a = \"b\"c\"d\"", "a = true false",
                        "a=1\r\nb=2"
            })
    void agreesOnCornerCases(String text) {
        agree(text);
    }

    private static void agree(String text) {
        Object theirs = ConfigFactory.parseString(text).resolve().root().unwrapped();
        ConfigFile ours = ConfigFileReader.parse(text, "test");
        Node tree = ours.body();
        for (Concatenation concatenation : ours.concatenations()) {
            Node joined = new ConcatenationResolver()
                    .resolve(concatenation, java.util.Optional.empty(), reference -> java.util.Optional.empty())
                    .orElseThrow();
            tree = ((MapNode) tree).with(concatenation.path().get(0), joined);
        }
        assertThat(plain(tree))
                .describedAs(text + "\n" + ConfigText.hocon(tree, false))
                .isEqualTo(numbers(theirs));
    }

    private static Object plain(Node node) {
        if (node instanceof MapNode map) {
            Map<String, Object> plain = new LinkedHashMap<>();
            map.entries().forEach((key, value) -> plain.put(key, plain(value)));
            return plain;
        }
        if (node instanceof ListNode list) {
            return list.items().stream().map(LibraryAgreementTest::plain).toList();
        }
        ScalarNode leaf = (ScalarNode) node;
        return switch (leaf.kind()) {
            case NULL -> "null";
            case INT -> Double.parseDouble(leaf.text());
            default ->
                String.valueOf(leaf.value()).equals(leaf.text()) && leaf.value() instanceof Double
                        ? leaf.value()
                        : leaf.value() == null ? "null" : leaf.value();
        };
    }

    /** Converts values for comparison: the library returns ints, and the product integers of any size. */
    private static Object numbers(Object value) {
        if (value instanceof Map<?, ?> map) {
            Map<String, Object> plain = new LinkedHashMap<>();
            map.forEach((key, each) -> plain.put(String.valueOf(key), numbers(each)));
            return plain;
        }
        if (value instanceof List<?> list) {
            List<Object> plain = new ArrayList<>();
            list.forEach(each -> plain.add(numbers(each)));
            return plain;
        }
        return value instanceof Number number ? (Object) number.doubleValue() : value == null ? "null" : value;
    }

    @Test
    void writesDocumentsThatTheLibraryReads() {
        String text = "a { \"b c\" = \"x\\ny\", l = [1, {d = null}], e = {} }\nf = 1.0\ng = \"${h}\"\n";
        MapNode tree = ConfigFileReader.parse(text, "test").body();
        String rendered = ConfigText.hocon(tree, false);
        assertThat(ConfigFactory.parseString(rendered).root().render(ConfigRenderOptions.concise()))
                .isEqualTo(ConfigFactory.parseString(text).root().render(ConfigRenderOptions.concise()));
        assertThat(Trees.canonical(ConfigFileReader.parse(rendered, "again").body()))
                .isEqualTo(Trees.canonical(tree));
    }
}
