package dev.stagesim.config.hocon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.config.Trees;
import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.Key;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.KeyText;
import dev.stagesim.model.KeyVariants;
import dev.stagesim.model.StageException;
import dev.stagesim.pipeline.StageRegistry;
import dev.stagesim.stage.Stage;
import java.io.IOException;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class ConfigFileReaderTest {
    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private final Path root = files.getPath("/conf");

    private Path write(String name, String text) throws IOException {
        Path file = root.resolve(name);
        Files.createDirectories(file.getParent());
        return Files.writeString(file, text);
    }

    private ConfigFile read(String name) {
        return ConfigFileReader.read(root.resolve(name), root);
    }

    private static String canonical(String text) {
        return Trees.canonical(ConfigFileReader.parse(text, "test").body());
    }

    @Test
    void keepsOrderSpellingAndLines() throws IOException {
        write("a.conf", "z = 007\na = 1.50\n\nm { y = \"1\", b = 12345678901234567890123 }\n");
        MapNode body = read("a.conf").body();
        assertThat(body.keys()).containsExactly("z", "a", "m");
        ScalarNode z = (ScalarNode) body.get("z");
        ScalarNode a = (ScalarNode) body.get("a");
        assertThat(z.text()).isEqualTo("007");
        assertThat(z.kind()).isEqualTo(ScalarNode.Kind.INT);
        assertThat(a.text()).isEqualTo("1.50");
        assertThat(a.origin().describe()).isEqualTo("/conf/a.conf:2");
        MapNode m = (MapNode) body.get("m");
        assertThat(m.keys()).containsExactly("y", "b");
        assertThat(((ScalarNode) m.get("b")).kind()).isEqualTo(ScalarNode.Kind.INT);
        assertThat(m.get("b").origin().describe()).isEqualTo("/conf/a.conf:4");
    }

    /** Recursive tree walks need a bound on depth, so dotted keys count as levels, like braces. */
    @Test
    void countsDottedKeysAndBracesAsLevels() {
        String key = "a" + ".a".repeat(19);
        for (String opening : List.of(" {\n", " = {\n", " =\n{\n", " : [{\n")) {
            String closing = opening.contains("[") ? "}]\n" : "}\n";
            String text = (key + opening).repeat(11) + closing.repeat(11);
            assertThatThrownBy(() -> ConfigFileReader.parse(text, "deep.conf"))
                    .as(opening)
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("nests deeper than 200 levels");
        }
        assertThat(ConfigFileReader.parse((key + " = { x = 1 }\n").repeat(300), "wide.conf")
                        .body()
                        .entries())
                .hasSize(1);
    }

    @Test
    void mergesMapsAndReplacesOtherValues() {
        assertThat(canonical("a { x = 1 }\na.y = 2\nb = 1\nb = 2\nc = 1\nc { d = 3 }"))
                .isEqualTo("{\"a\":{\"x\":1,\"y\":2},\"b\":2,\"c\":{\"d\":3}}");
    }

    @Test
    void concatenatesAdjacentValues() {
        assertThat(canonical("a = x y  z\nb = [1] [2]\nc = { d = 1 } { e = 2 }\nf = \"p\" q\ng = 10 s"))
                .isEqualTo("{\"a\":\"x y  z\",\"b\":[1,2],\"c\":{\"d\":1,\"e\":2},\"f\":\"p q\",\"g\":\"10 s\"}");
    }

    @Test
    void resolvesSelfReferencesWithinAFile() {
        assertThat(canonical("l = [1]\nl += 2\nl = ${l} [3]\np = a\np = ${p}\":b\"\nm { l = [1] }\nm { l += 2 }"))
                .isEqualTo("{\"l\":[1,2,3],\"m\":{\"l\":[1,2]},\"p\":\"a:b\"}");
    }

    @Test
    void keepsSelfReferencesWhenTheFileHasNoBase() {
        ConfigFile file = ConfigFileReader.parse("m { l += 1, l += 2 }", "test");
        assertThat(file.concatenations()).hasSize(1);
        assertThat(file.concatenations().get(0).path()).containsExactly("m", "l");
        assertThat(file.concatenations().get(0).parts()).hasSize(3);
        assertThat(Trees.canonical(file.body())).isEqualTo("{\"m\":{}}");
    }

    @Test
    void convertsSubstitutionsToInterpolations() {
        assertThat(canonical("a = ${b.c}\nd = pre ${b} post\ne = ${?f}\ng = ${\"x.y\".z}\nh = [${a}, 1]"))
                .isEqualTo("{\"a\":\"${b.c}\",\"d\":\"pre ${b} post\",\"e\":\"${?f}\",\"g\":\"${[x.y].z}\","
                        + "\"h\":[\"${a}\",1]}");
    }

    @Test
    void readsQuotedAndTripleQuotedText() {
        assertThat(canonical("a = \"\"\"x \"y\" \\n\"\"\"\nb = \"t\\t\\u00e9\\\"\"\n\"k.l\" = 1\nm.\"n o\".p = 2"))
                .isEqualTo("{\"a\":\"x \\\"y\\\" \\\\n\",\"b\":\"t\\té\\\"\",\"k.l\":1,\"m\":{\"n o\":{\"p\":2}}}");
    }

    @Test
    void skipsCommentsAndCommas() {
        assertThat(canonical("# one\na = 1 # two\n// three\nb = [1, # four\n 2,\n 3\n],\nc : x // five\n"))
                .isEqualTo("{\"a\":1,\"b\":[1,2,3],\"c\":\"x\"}");
    }

    @Test
    void removesDirectives() throws IOException {
        write("g.conf", "_package_ = a.b\ndefaults = [ x ]\nv = 1\n");
        ConfigFile file = read("g.conf");
        assertThat(file.pkg()).contains("a.b");
        assertThat(file.defaults()).isPresent();
        assertThat(file.body().keys()).containsExactly("v");
        write("c.conf", "# about\n#  @package  c.d\nv = 1\n# @package late\n");
        assertThat(read("c.conf").pkg()).contains("c.d");
        write("both.conf", "# @package c\n_package_ = d\n");
        assertThat(read("both.conf").pkg()).contains("d");
        assertThat(read("both.conf").warnings()).hasSize(1);
        write("list.conf", "_value_ = [1, 2]\n");
        assertThat(Trees.canonical(read("list.conf").content())).isEqualTo("[1,2]");
    }

    @Test
    void rejectsInvalidDirectives() throws IOException {
        write("blank.conf", "# @package\nv = 1\n");
        assertThatThrownBy(() -> read("blank.conf")).hasMessageContaining("names no package");
        write("mixed.conf", "_value_ = [1]\nv = 1\n");
        assertThatThrownBy(() -> read("mixed.conf")).hasMessageContaining("must stand alone");
        write("root.conf", "[1, 2]\n");
        assertThatThrownBy(() -> read("root.conf")).hasMessageContaining("_value_ = [...]");
    }

    @Test
    void locatesSyntaxErrors() throws IOException {
        write("bad.conf", "a = 1\nb = { c = 2\n");
        assertThatThrownBy(() -> read("bad.conf"))
                .isInstanceOf(StageException.class)
                .hasMessageStartingWith("config error: /conf/bad.conf:");
        write("at.conf", "a = 1\nb@c = 2\n");
        assertThatThrownBy(() -> read("at.conf")).hasMessageContaining("/conf/at.conf:2");
        Files.write(write("latin.conf", ""), new byte[] {'a', '=', (byte) 0xe9});
        assertThatThrownBy(() -> read("latin.conf")).hasMessageContaining("not UTF-8");
    }

    @Test
    void includesFilesOfTheSameDirectory() throws IOException {
        write("base.conf", "x = 1\ny = ${x}\nl = [1]\n");
        write("a.conf", "include \"base\"\nx = 2\nl += 2\np { include \"base.conf\" }\ninclude \"absent\"\n");
        ConfigFile file = read("a.conf");
        assertThat(Trees.canonical(file.body()))
                .isEqualTo("{\"l\":[1,2],\"p\":{\"l\":[1],\"x\":1,\"y\":\"${p.x}\"},\"x\":2,\"y\":\"${x}\"}");
        assertThat(file.warnings()).singleElement().asString().contains("'absent' does not exist");
        assertThat(file.body().get("x").origin().describe()).isEqualTo("/conf/a.conf:2");
    }

    @Test
    void rejectsIncludeCycles() throws IOException {
        Files.writeString(files.getPath("/outside.conf"), "s = 1");
        write("out.conf", "include \"../outside\"\n");
        assertThatThrownBy(() -> read("out.conf")).hasMessageContaining("outside");
        write("req.conf", "include required(\"nope\")\n");
        assertThatThrownBy(() -> read("req.conf")).hasMessageContaining("does not exist");
        write("url.conf", "include url(\"http://localhost/x\")\n");
        assertThatThrownBy(() -> read("url.conf")).hasMessageContaining("not supported");
        write("loop.conf", "include \"loop\"\n");
        assertThatThrownBy(() -> read("loop.conf")).hasMessageContaining("cycle");
    }

    /** Compares with parsing a whole document, for all declared defaults and for random texts. */
    @Test
    void readsValuesLikeADocument() {
        Set<String> declared = new TreeSet<>();
        for (Stage<?> stage : StageRegistry.standard().stages()) {
            defaults(stage.spec().settings(), declared);
        }
        assertThat(declared).hasSizeGreaterThan(150).contains("[]", "{}", "{ kind = serving }", "[1, 2, 4, 8]");
        declared.forEach(ConfigFileReaderTest::sameAsDocument);
        List<String> parts =
                List.of("a", "1", ".5", "-2e3", " ", ", ", ",", " = ", "null", "\"q\"", "[1]", "b.c", "true");
        qt().withExamples(5000)
                .forAll(
                        lists().of(integers().between(0, parts.size() - 1)).ofSizeBetween(0, 6),
                        integers().between(0, 1))
                .checkAssert((picks, shape) -> {
                    String inner = picks.stream().map(parts::get).collect(Collectors.joining());
                    sameAsDocument(shape == 0 ? "[" + inner + "]" : "{ " + inner + " }");
                });
    }

    private static void defaults(Class<?> type, Set<String> found) {
        if (KeyVariants.isChoice(type)) {
            KeyVariants.of(type).forEach(kind -> defaults(kind, found));
        }
        for (RecordComponent its : type.isRecord() ? KeyRecord.components(type) : List.<RecordComponent>of()) {
            String def = KeyText.of(its.getAnnotation(Key.class)).def();
            found.addAll(def == null ? List.of() : List.of(def));
            Stream.concat(
                            Stream.of(its.getType()),
                            its.getGenericType() instanceof ParameterizedType of
                                    ? Stream.of(of.getActualTypeArguments())
                                    : Stream.<Type>of())
                    .forEach(inner -> {
                        if (inner instanceof Class<?> raw && (raw.isRecord() || KeyVariants.isChoice(raw))) {
                            defaults(raw, found);
                        }
                    });
        }
    }

    private static void sameAsDocument(String text) {
        Node expected;
        try {
            expected = ConfigFileReader.parse("v = " + text, "test").body().get("v");
        } catch (StageException illegal) {
            return;
        }
        if (expected != null) {
            assertThat(bare(ConfigFileReader.value(text.strip(), Origin.DEFAULT)))
                    .as(text)
                    .isEqualTo(bare(expected));
        }
    }

    /** Returns the values of a node without their origins. */
    private static Object bare(Node node) {
        if (node instanceof MapNode map) {
            Map<String, Object> entries = new LinkedHashMap<>();
            map.entries().forEach((key, value) -> entries.put(key, bare(value)));
            return entries;
        }
        return node instanceof ListNode list
                ? list.items().stream().map(ConfigFileReaderTest::bare).toList()
                : ((ScalarNode) node).kind() + " " + ((ScalarNode) node).text();
    }

    @Test
    void readsJson() throws IOException {
        write("a.json", "{\"b\": [1, 2.5, null, true], \"a\": {\"x\": \"y\"}}");
        assertThat(read("a.json").body().keys()).containsExactly("b", "a");
        assertThat(Trees.canonical(read("a.json").body())).isEqualTo("{\"a\":{\"x\":\"y\"},\"b\":[1,2.5,null,true]}");
    }

    @Test
    void rejectsDuplicateKeysInJson() throws IOException {
        write("a.json", "{\"a\": {\"x\": 1,\n\"x\": 2}}");
        assertThatThrownBy(() -> read("a.json"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("a.json:2")
                .hasMessageContaining("'x' is given twice");
        write("a.json", "{\"a\": [{\"x\": 1}, {\"x\": 2}], \"b\": {\"x\": 1}}");
        assertThat(read("a.json").body().keys()).containsExactly("a", "b");
    }
}
