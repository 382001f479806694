package dev.stagesim.config.hocon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import com.typesafe.config.ConfigException;
import com.typesafe.config.ConfigFactory;
import com.typesafe.config.ConfigRenderOptions;
import com.typesafe.config.parser.ConfigDocumentFactory;
import dev.stagesim.config.ConfigText;
import dev.stagesim.config.Trees;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** The walk over the text must read what the HOCON library reads. */
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
    void shouldAgreeOnRandomDocuments() {
        qt().withExamples(300)
                .forAll(lists().of(integers().between(0, LINES.size() - 1)).ofSizeBetween(0, 12))
                .checkAssert(picks ->
                        agree(String.join("\n", picks.stream().map(LINES::get).toList())));
    }

    /** Parts of texts that are legal only in some places. */
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
    void shouldRefuseWhatTheLibraryRefuses() {
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

    /** Beside the library, over texts put together at random. */
    @Test
    void plainTextIsLegal() {
        int[] plain = new int[1];
        qt().withExamples(20_000)
                .forAll(
                        lists().of(integers().between(0, PLAIN.length() - 1)).ofSizeBetween(0, 12),
                        integers().between(0, 2))
                .checkAssert((picks, shape) -> {
                    StringBuilder parts = new StringBuilder();
                    picks.forEach(pick -> parts.append(PLAIN.charAt(pick)));
                    plain[0] += legalWherePlain(
                            shape == 0 ? parts.toString() : shape == 1 ? "k = " + parts : "k { a = [" + parts + "] }");
                });
        assertThat(plain[0]).isGreaterThan(1000);
    }

    /** The same over our own configs and those with a few characters changed; most of them are plain. */
    @Test
    void configsAreLegalWherePlain() throws IOException {
        List<String> configs = new ArrayList<>();
        try (Stream<Path> files = Files.walk(Path.of("configs"))) {
            for (Path file : files.filter(file -> file.toString().endsWith(".conf"))
                    .sorted()
                    .toList()) {
                configs.add(Files.readString(file));
            }
        }
        int plain = 0;
        for (String text : configs) {
            plain += legalWherePlain(text);
        }
        assertThat(plain).isGreaterThan(configs.size() * 9 / 10);
        qt().withExamples(10_000)
                .forAll(
                        integers().between(0, configs.size() - 1),
                        lists().of(integers().between(0, 1_000_000)).ofSizeBetween(1, 3))
                .checkAssert((file, edits) -> {
                    StringBuilder text = new StringBuilder(configs.get(file));
                    for (int edit : edits) {
                        int at = edit / PLAIN.length() % text.length();
                        text.replace(
                                at,
                                at + edit % 2,
                                PLAIN.substring(edit % PLAIN.length()).substring(0, 1));
                    }
                    legalWherePlain(text.toString());
                });
    }

    private static final String PLAIN = "\n\n  ,,{}[]==::..\"\"##--ab1nulltrue0eE_+/\\$\t";

    private static int legalWherePlain(String text) {
        boolean plain = PlainText.isPlain(text);
        assertThat(!plain || legal(() -> ConfigDocumentFactory.parseString(text)))
                .as(text)
                .isTrue();
        return plain ? 1 : 0;
    }

    @Test
    void deepTextIsNotPlain() {
        assertThat(PlainText.isPlain("a {".repeat(40) + "}".repeat(40))).isTrue();
        assertThat(PlainText.isPlain("a {".repeat(90) + "}".repeat(90))).isFalse();
        assertThat(PlainText.isPlain("a.".repeat(30) + "a = 1")).isTrue();
        assertThat(PlainText.isPlain("a.".repeat(201) + "a = 1")).isFalse();
        assertThat(PlainText.isPlain("a.a {".repeat(20) + "}".repeat(20))).isTrue();
        assertThat(PlainText.isPlain("a.a = {".repeat(30) + "}".repeat(30))).isFalse();
        assertThat(PlainText.isPlain("a = " + ".".repeat(201))).isFalse();
    }

    /** True when nothing is wrong; nothing but the errors about wrong input may come. */
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
    void shouldAgreeOnCorners(String text) {
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

    /** The library has no null in lists of equal things to compare, and ints where we have integers of any size. */
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
    void shouldRenderWhatTheLibraryReads() {
        String text = "a { \"b c\" = \"x\\ny\", l = [1, {d = null}], e = {} }\nf = 1.0\ng = \"${h}\"\n";
        MapNode tree = ConfigFileReader.parse(text, "test").body();
        String rendered = ConfigText.hocon(tree, false);
        assertThat(ConfigFactory.parseString(rendered).root().render(ConfigRenderOptions.concise()))
                .isEqualTo(ConfigFactory.parseString(text).root().render(ConfigRenderOptions.concise()));
        assertThat(Trees.canonical(ConfigFileReader.parse(rendered, "again").body()))
                .isEqualTo(Trees.canonical(tree));
    }
}
