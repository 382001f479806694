package dev.stagesim.config.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ConfigTree;
import dev.stagesim.model.StageException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Every ignored argument of the command line causes a message. */
class DiscardedOverridesTest {
    private static ConfigTree databases(String defaults) {
        return new ConfigTree()
                .file("config.conf", "defaults = " + defaults, "name = x")
                .file("db/small.conf", "kind = small")
                .file("db/large.conf", "kind = large")
                .file("nest/holds_small.conf", "_package_ = _global_", "defaults = [ { /db = small } ]")
                .file(
                        "experiment/pick_large.conf",
                        "_package_ = _global_",
                        "defaults = [ { \"override /db\" = large } ]");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[ { \"override db\" = small } ]",
                "[ { \"override db\" = large } ]",
                "[ _self_, { \"override db\" = small } ]",
                "[ { \"override db\" = small }, _self_ ]",
                "[ { experiment = pick_large } ]"
            })
    void rejectsAnOverrideOfAGroupThatTheCommandLineAdds(String defaults) {
        ConfigTree tree = databases(defaults);
        for (String word : List.of("+db=large", "+db=small", "++db=small", "+nest=holds_small")) {
            assertThatThrownBy(() -> tree.compose(word))
                    .as(word)
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("could not override 'db'");
        }
        assertThatThrownBy(tree::compose).hasMessageContaining("could not override 'db'");
    }

    @Test
    void doesNotOverrideAnAddedGroupFromALaterAddedConfig() {
        ConfigTree tree = databases("[ _self_ ]");
        assertThatThrownBy(() -> tree.compose("+db=small", "+experiment=pick_large"))
                .hasMessageContaining("could not override 'db'");
    }

    @Test
    void overridesValuesInsideAddedGroups() {
        ConfigTree tree = databases("[ _self_ ]")
                .file(
                        "experiment/both.conf",
                        "_package_ = _global_",
                        "defaults = [ { /db = small }, { \"override /db\" = large } ]");
        assertThat(tree.text("+experiment=both")).contains("large");
    }

    @Test
    void keepsTheBodyOfAConfigThatOnlyOverrides() {
        ConfigTree tree = databases("[ { \"override hydra/job_logging\" = disabled } ]");
        assertThat(tree.text("+db=large")).contains("\"name\":\"x\"").contains("large");
    }

    @ParameterizedTest
    @CsvSource({"a, b, b", "b, a, a"})
    void usesTheLastOverrideInDepthFirstOrder(String first, String second, String expected) {
        ConfigTree tree = new ConfigTree()
                .file("group/a.conf", "v = a")
                .file("group/b.conf", "v = b")
                .file("group/c.conf", "v = c")
                .file(
                        "experiment/pick_c.conf",
                        "_package_ = _global_",
                        "defaults = [ { \"override /group\" = c }, _self_ ]")
                .file(
                        "config.conf",
                        "defaults = [ { group = c }, { \"override group\" = " + first + " }, { \"override group\" = "
                                + second + " }, _self_ ]");
        assertThat(tree.text()).contains("\"v\":\"" + expected + "\"");
        assertThat(tree.text("+experiment=pick_c")).contains("\"v\":\"c\"");
        assertThat(tree.text("+experiment=pick_c", "group=a")).contains("\"v\":\"a\"");
    }

    @ParameterizedTest
    @CsvSource({
        "db=large, ~db",
        "~db, db=large",
        "db=large, ~db=large",
        "db=large, ++db=small",
        "db=large, db=small",
        "db=large, db=null",
        "db=large, db=[large]",
        "++new/db=large, ++new/db=small",
        "+new/db=large, ++new/db=small",
        "x=1, ~x",
        "m.a=1, ~m",
        "+m.z=1, ~m.z"
    })
    void rejectsContradictoryArguments(String one, String other) {
        ConfigTree tree = new ConfigTree()
                .file("config.conf", "defaults = [ { db = small }, _self_ ]", "x = 0", "m { a = 0, b = 0 }")
                .file("db/small.conf", "kind = small")
                .file("db/large.conf", "kind = large")
                .file("new/db/small.conf", "kind = small")
                .file("new/db/large.conf", "kind = large");
        assertThatThrownBy(() -> tree.compose(one, other))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("contradict each other")
                .hasMessageContaining(one)
                .hasMessageContaining(other);
    }

    @Test
    void acceptsTheSameOptionTwice() {
        assertThat(databases("[ { db = small } ]").text("db=large", "db=large")).contains("large");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"x=1;x=2", "m.a=1;m.a=2", "m.a=1;m:={b:2}", "m.a=1;m=null", "l.0=5;l=[7]"})
    void warnsOfAValueThatALaterArgumentReplaces(String one, String other) {
        ConfigTree tree = new ConfigTree().file("config.conf", "x = 0", "m { a = 0, b = 0 }", "l = [1, 2]");
        assertThat(tree.compose(one, other).warnings())
                .anyMatch(warning -> warning.contains("'" + one + "' has no effect"));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {"m.a=1;m.b=2", "m={a:1};m.b=2", "m.a=1;m={b:2}", "l+=1;l+=2", "l.0=5;l+=1", "x=1;m.a=1"})
    void doesNotWarnOfUnchangedValues(String one, String other) {
        ConfigTree tree = new ConfigTree().file("config.conf", "x = 0", "m { a = 0, b = 0 }", "l = [1, 2]");
        assertThat(tree.compose(one, other).warnings()).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"../other/x", "a/../x", "..", "..\\\\x", "a\\\\b"})
    void rejectsPathsThatLeaveTheirGroup(String path) {
        String shown = path.replace("\\\\", "\\");
        for (String defaults :
                List.of("[ \"" + path + "\" ]", "[ { db = \"" + path + "\" } ]", "[ { db = [\"" + path + "\"] } ]")) {
            assertThatThrownBy(() -> databases(defaults).compose())
                    .as(defaults)
                    .hasMessageContaining(shown)
                    .hasMessageContaining("is not a path of a config");
        }
        assertThatThrownBy(() -> databases("[ { db = small } ]").compose("db='" + shown + "'"))
                .hasMessageContaining("is not a path of a config");
    }

    @Test
    void rejectsOptionalTogetherWithOverride() {
        for (String words : List.of("optional override db", "override optional db")) {
            assertThatThrownBy(() -> databases("[ { db = small }, { \"" + words + "\" = large } ]")
                            .compose())
                    .hasMessageContaining("cannot be combined");
        }
    }

    @Test
    void placesAddedGroupsAtTheRoot() {
        ConfigTree tree = databases("[ _self_ ]").file("stages/one.conf", "defaults = [ _self_ ]", "y = 1");
        assertThat(dev.stagesim.config.Trees.canonical(tree.engine()
                        .compose(dev.stagesim.config.ComposeRequest.of("stages/one", List.of("+db=large")))
                        .config()))
                .contains("\"db\":{\"kind\":\"large\"}");
    }
}
