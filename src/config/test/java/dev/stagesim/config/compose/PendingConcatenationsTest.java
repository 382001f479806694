package dev.stagesim.config.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ConfigTree;
import dev.stagesim.config.Trees;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Native HOCON references and appends, across files and packages. */
class PendingConcatenationsTest {
    private static String resolved(ConfigTree tree, String... overrides) {
        Resolvers resolvers = Resolvers.standard(
                new ResolverContext(Map.of(), Instant.EPOCH.atZone(ZoneOffset.UTC), MapNode.empty()));
        return Trees.canonical(tree.compose(overrides).resolved(resolvers));
    }

    @Test
    void appendsToTheListAtThePlaceOfTheFile() {
        ConfigTree tree = new ConfigTree()
                .file(
                        "config.conf",
                        "defaults = [ { db = base }, { \"more@db\" = one }, _self_ ]",
                        "tags = [root]",
                        "db.tags += c")
                .file("db/base.conf", "tags = [a]")
                .file("more/one.conf", "tags += b");
        assertThat(tree.text()).isEqualTo("{\"db\":{\"tags\":[\"a\",\"b\",\"c\"]},\"tags\":[\"root\"]}");
    }

    @Test
    void createsAMissingListWhenAppending() {
        ConfigTree tree = new ConfigTree().file("config.conf", "l += 1", "l += 2");
        assertThat(tree.text()).isEqualTo("{\"l\":[1,2]}");
    }

    @Test
    void inheritsFromAnotherMapAndFollowsItsOverrides() {
        ConfigTree tree = new ConfigTree()
                .file("config.conf", "base { a = 1, b { c = 2 }, l = [1, 2] }", "more = ${base} { b { d = 3 } }");
        assertThat(resolved(tree)).contains("\"more\":{\"a\":1,\"b\":{\"c\":2,\"d\":3},\"l\":[1,2]}");
        assertThat(resolved(tree, "base.a=5", "more.b.c=6"))
                .contains("\"more\":{\"a\":5,\"b\":{\"c\":6,\"d\":3},\"l\":[1,2]}");
    }

    @Test
    void joinsListsOfOtherKeys() {
        ConfigTree tree = new ConfigTree().file("config.conf", "a = [1]", "b = ${a} [2] ${?none}");
        assertThat(resolved(tree)).contains("\"b\":[1,2]");
        assertThat(tree.text("b=[7]")).contains("\"b\":[7]");
    }

    @Test
    void dropsAConcatenationThatALaterFileReplaces() {
        ConfigTree tree = new ConfigTree()
                .file("config.conf", "defaults = [ base, _self_ ]", "b = [9]")
                .file("base.conf", "a = [1]", "b = ${a} [2]");
        assertThat(tree.text()).contains("\"b\":[9]");
    }

    @Test
    void resolvesOptionalReferencesOnTheComposedTree() {
        ConfigTree tree = new ConfigTree()
                .file("config.conf", "a = 1", "a = ${?x}", "b = ${?x}", "c = pre-${?x}", "d = [1, ${?x}]");
        assertThat(resolved(tree)).isEqualTo("{\"a\":1,\"c\":\"pre-\",\"d\":[1]}");
        assertThat(resolved(tree, "+x=7")).isEqualTo("{\"a\":7,\"b\":7,\"c\":\"pre-7\",\"d\":[1,7],\"x\":7}");
    }

    @Test
    void reportsTheMissingTargetOfAReference() {
        ConfigTree tree = new ConfigTree().file("config.conf", "b = ${nope} [2]");
        assertThatThrownBy(tree::compose).hasMessageContaining("${nope} refers to a key that does not exist");
        tree.file("config.conf", "a { x = 1 }", "b = ${a} [2]");
        assertThatThrownBy(tree::compose).hasMessageContaining("cannot join a map with a list");
    }
}
