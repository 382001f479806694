package dev.stagesim.config.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stagesim.config.ConfigTree;
import dev.stagesim.config.Trees;
import dev.stagesim.config.compose.source.ConfigSource;
import dev.stagesim.config.compose.source.Repository;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.model.StageException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Configurations that grow without bound, and large ones that are valid. */
class BoundsTest {
    private static final Resolvers RESOLVERS =
            Resolvers.standard(new ResolverContext(Map.of(), Instant.EPOCH.atZone(ZoneOffset.UTC), MapNode.empty()));

    /** Replaces {@code #} by the number of a line and {@code @} by the number of the previous line. */
    private static String lines(String first, String line, int count) {
        return first
                + IntStream.rangeClosed(1, count)
                        .mapToObj(i -> line.replace("#", "" + i).replace("@", "" + (i - 1)))
                        .collect(Collectors.joining("\n", "\n", ""));
    }

    private static String resolved(String text) {
        return Trees.canonical(
                new ConfigTree().file("config.conf", text).compose().resolved(RESOLVERS));
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a = ${?a} ${a}",
                "a = x;a = ${?a} ${a}",
                "a = [1];a = ${a}${a}",
                "a += 1;a = ${a}${a}",
                "b0 = [1];b# = ${b@} ${b@} []",
                "b0 { v = 1 };b# = { x = ${b@} {}, y = ${b@} {} }",
                "b0 { v = 1 };b# = { x = ${b@} {} }",
                "b0 = xy;b# = \"${b@}${b@}\"",
                "b0 = [1];b# = [\"${b@}\", \"${b@}\"]",
                "b0 = [1];b# = { x = \"${b@}\", y = \"${b@}\" }",
                "b0 = 1;b# = \"${oc.decode:'[${b@},${b@}]'}\"",
                "b0 = 1;b# = \"${oc.create:[${b@},${b@}]}\"",
                "b0 = 1;b# = \"${oc.create:{x:${b@},y:${b@}}}\"",
                "b0 = 1;b# = \"${oc.dict.values:b@}${oc.dict.values:b@}\"",
                "b0 = x;b# = \"${stable_id:'${b@}${b@}'}${b@}${b@}\""
            })
    void reportsUnboundedGrowthOnce(String lines) {
        int cut = lines.indexOf(';');
        String text = lines(lines.substring(0, Math.max(cut, 0)), lines.substring(cut + 1), 300);
        StageException refused = catchThrowableOfType(StageException.class, () -> resolved(text));
        assertThat(refused.kind()).isEqualTo(StageException.Kind.INPUT);
        assertThat(refused.problems()).hasSize(1);
        assertThat(refused)
                .hasMessageContaining("main/config.conf:")
                .hasMessageMatching("(?s).*(2097152 char|8388608 char|10000 parts|200 levels|b0' is none).*");
    }

    /** Each of these inputs once took quadratic time. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "x = 1;a# = ${x}",
                "x = 1;a.b# = ${x}",
                "x = 1;a = ${x}",
                ";a.b.c# = 1",
                ";a# += 1",
                ";a = ${?x}",
                ";a# = ${?a#} x",
                "x { y = 1 };a.b# = ${x} { z = # }",
                ";a# += 1\na# = 1",
                "x = 1;l = ${?l} [#]\nl = []"
            })
    void readsManyReferences(String lines) {
        int cut = lines.indexOf(';');
        assertThat(resolved(lines(lines.substring(0, cut), lines.substring(cut + 1), 5_000)))
                .isNotEmpty();
    }

    @Test
    void concatenatesManyPartsLikeOneValue() {
        String appended = IntStream.range(0, 500).mapToObj(Integer::toString).collect(Collectors.joining(","));
        assertThat(resolved(lines("a = [0]", "a += #", 499))).isEqualTo("{\"a\":[" + appended + "]}");
        assertThat(resolved(lines("", "a += #", 2))).isEqualTo("{\"a\":[1,2]}");
        assertThat(resolved(lines("a = null", "a = ${a} [#]", 2))).isEqualTo("{\"a\":[1,2]}");
        assertThat(resolved(lines("a = x", "a = ${a}#", 12))).isEqualTo("{\"a\":\"x123456789101112\"}");
        assertThat(resolved(lines("a { x = { y = 0 } }", "a = ${a} { x { z# = # } }", 2)))
                .isEqualTo("{\"a\":{\"x\":{\"y\":0,\"z1\":1,\"z2\":2}}}");
    }

    @Test
    void listsDirectoriesOnceForManyWrongOverrides() {
        List<String> listed = new ArrayList<>();
        Repository repository = new Repository(List.of(new Listing(listed)));
        List<String> groups = repository.groups();
        for (int i = 0; i < 3; i++) {
            assertThat(repository.groups()).isEqualTo(groups).containsExactly("a", "a/b");
            assertThat(repository.options("a")).containsExactly("x", "y");
            assertThat(repository.optionsBelow("a")).containsExactly("b/x", "b/y", "x", "y");
        }
        assertThat(listed).doesNotHaveDuplicates();
    }

    /** A source that records the listed directories. */
    private record Listing(List<String> listed) implements ConfigSource {
        @Override
        public java.util.Optional<dev.stagesim.config.hocon.ConfigFile> load(String path) {
            return java.util.Optional.empty();
        }

        @Override
        public boolean isGroup(String group) {
            return true;
        }

        @Override
        public List<String> options(String group) {
            listed.add("options of " + group);
            return List.of("y", "x");
        }

        @Override
        public List<String> subgroups(String group) {
            listed.add("groups of " + group);
            return group.isEmpty() ? List.of("a") : group.equals("a") ? List.of("b") : List.of();
        }

        @Override
        public SearchRoot root() {
            return new SearchRoot("test", java.nio.file.Path.of("test"));
        }
    }
}
