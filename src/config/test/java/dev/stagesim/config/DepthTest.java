package dev.stagesim.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.StageException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Input with a hundred thousand nested levels is rejected like any other invalid input. */
class DepthTest {
    private static final int MANY = 100_000;
    private static final Resolvers RESOLVERS =
            Resolvers.standard(new ResolverContext(Map.of(), Instant.EPOCH.atZone(ZoneOffset.UTC), MapNode.empty()));

    private static String nested(String open, String core, String close) {
        return open.repeat(MANY) + core + close.repeat(MANY);
    }

    private static void rejected(ConfigTree tree, String... overrides) {
        assertThatThrownBy(() -> tree.compose(overrides).resolved(RESOLVERS))
                .isInstanceOf(StageException.class)
                .extracting(wrong -> ((StageException) wrong).kind())
                .isEqualTo(StageException.Kind.INPUT);
    }

    @ParameterizedTest
    @ValueSource(strings = {"{ a = |}", "[|]", "{ a = [|] }", "a.|", "\"q\".|", "${a.|}", "[{ a = |}]"})
    void rejectsDeepFiles(String brackets) {
        String[] pair = brackets.split("\\|", -1);
        rejected(new ConfigTree().file("config.conf", "a = " + nested(pair[0], "1", pair[1])));
        rejected(new ConfigTree().file("config.conf", nested(pair[0], "a", pair[1]) + " = 1"));
        rejected(new ConfigTree().file("config.conf", "a = " + pair[0].repeat(MANY)));
    }

    @ParameterizedTest
    @ValueSource(strings = {"${a:|}", "${|}", "${oc.create:{a:|}}", "${oc.create:[|]}", "${oc.decode:'|'}"})
    void rejectsDeepInterpolations(String brackets) {
        String[] pair = brackets.split("\\|", -1);
        for (String text : new String[] {nested(pair[0], "a", pair[1]), pair[0].repeat(MANY)}) {
            rejected(new ConfigTree().file("config.conf", "x = \"" + text + "\""));
        }
    }

    @ParameterizedTest
    @ValueSource(strings = {"+x=|[|]", "+x=|{a:|}", "+|a.|", "+x=|int(|)", "+x=json('|[|]')", "+x=${|a:|}"})
    void rejectsDeepOverrides(String parts) {
        String[] pair = parts.split("\\|", -1);
        String tail = pair[2].endsWith("')") ? "')" : "";
        String close = pair[2].substring(0, pair[2].length() - tail.length());
        String end = pair[0].equals("+") ? "b=1" : tail;
        rejected(new ConfigTree().file("config.conf", "y = 1"), pair[0] + nested(pair[1], "1", close) + end);
    }

    @Test
    void rejectsDeepChainsOfReferences() {
        String chain = IntStream.range(0, MANY)
                .mapToObj(i -> "k" + i + " = \"${k" + (i + 1) + "}\"")
                .collect(Collectors.joining("\n"));
        rejected(new ConfigTree().file("config.conf", chain, "k" + MANY + " = 1"));
    }

    @Test
    void rejectsRecursiveIncludes() {
        rejected(new ConfigTree().file("config.conf", "include \"config\""));
    }

    @Test
    void rejectsIncludesThatDoubleWithEveryLevel() {
        ConfigTree tree = new ConfigTree().file("config.conf", "include \"a0\"");
        for (int i = 0; i < 40; i++) {
            tree.file("a" + i + ".conf", "x { include \"a" + (i + 1) + "\" }", "y { include \"a" + (i + 1) + "\" }");
        }
        rejected(tree.file("a40.conf", "z = 1"));
    }

    @Test
    void acceptsCommonDepths() {
        ConfigTree tree = new ConfigTree().file("config.conf", "a = " + "{ a = ".repeat(150) + "1" + "}".repeat(150));
        assertThat(tree.compose().resolved(RESOLVERS).keys()).containsExactly("a");
    }
}
