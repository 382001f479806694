package dev.stagesim.config.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ConfigTree;
import dev.stagesim.model.StageException;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Compositions that are an error in Hydra, or have a different result there. */
class OwnRulesTest {
    private static ConfigTree models() {
        return new ConfigTree()
                .file("model/small.conf", "layers = 2")
                .file("model/big.conf", "layers = 20")
                .file(
                        "experiment/deep.conf",
                        "_package_ = _global_",
                        "defaults = [ { override /model = big } ]",
                        "deep = true");
    }

    @Test
    void appliesAnOverrideThatComesAfterItsGroup() {
        ConfigTree tree = models().file("config.conf", "defaults = [ { experiment = deep }, { model = small } ]");
        assertThat(tree.text()).isEqualTo("{\"deep\":true,\"model\":{\"layers\":20}}");
    }

    @Test
    void prefersTheCommandLineToALateOverride() {
        ConfigTree tree = models().file("config.conf", "defaults = [ { experiment = deep }, { model = small } ]");
        assertThat(tree.text("model=small")).contains("\"layers\":2");
    }

    @Test
    void dropsOverridesOfARemovedConfig() {
        ConfigTree tree = models().file("config.conf", "defaults = [ { a = one }, { b = x } ]")
                .file("a/one.conf", "_package_ = _global_", "defaults = [ { override /b = y } ]", "a = 1")
                .file("b/x.conf", "b = x")
                .file("b/y.conf", "b = y");
        assertThat(tree.text()).isEqualTo("{\"a\":1,\"b\":{\"b\":\"y\"}}");
        assertThat(tree.text("~a")).isEqualTo("{\"b\":{\"b\":\"x\"}}");
    }

    @Test
    void dropsAConditionalOverrideOfAGroupThatIsAbsent() {
        ConfigTree tree = new ConfigTree()
                .file("config.conf", "defaults = [ { a = one } ]")
                .file("a/one.conf", "_package_ = _global_", "defaults = [ { override_if_present /b = y } ]", "a = 1")
                .file("b/x.conf", "b = x")
                .file("b/y.conf", "b = y");
        assertThat(tree.text()).isEqualTo("{\"a\":1}");
        tree.file("config.conf", "defaults = [ { a = one }, { b = x } ]");
        assertThat(tree.text()).isEqualTo("{\"a\":1,\"b\":{\"b\":\"y\"}}");
        assertThat(tree.text("b=x")).contains("\"b\":\"x\"");
    }

    @Test
    void overridesAnInterpolatedOption() {
        ConfigTree tree = new ConfigTree()
                .file("config.conf", "defaults = [ { a = one }, { e = x }, { \"optional b\" = \"${e}\" } ]")
                .file(
                        "a/one.conf",
                        "_package_ = _global_",
                        "defaults = [ { override /e = none }, { \"override_if_present /b\" = y } ]",
                        "a = 1")
                .file("a/two.conf", "a = 2")
                .file("e/x.conf", "e = x")
                .file("e/none.conf", "e = none")
                .file("b/x.conf", "b = x")
                .file("b/y.conf", "b = y");
        assertThat(tree.text()).isEqualTo("{\"a\":1,\"b\":{\"b\":\"y\"},\"e\":{\"e\":\"none\"}}");
        assertThat(tree.text("b=x")).contains("\"b\":\"x\"");
        assertThat(tree.text("a=two")).contains("\"b\":\"x\"");
    }

    @Test
    void reportsOverridesThatDoNotConverge() {
        ConfigTree tree = new ConfigTree()
                .file("config.conf", "defaults = [ { a = one }, { b = x } ]")
                .file("a/one.conf", "_package_ = _global_", "defaults = [ { override /b = y } ]")
                .file("a/two.conf", "two = 2")
                .file("b/x.conf", "x = 1")
                .file("b/y.conf", "_package_ = _global_", "defaults = [ { override /a = two } ]");
        assertThatThrownBy(tree::compose).hasMessageContaining("do not converge");
    }

    @Test
    void reportsATypoOfTheCommandLine() {
        ConfigTree tree =
                models().file("config.conf", "defaults = [ { optional experiment = null }, _self_ ]", "x = 1");
        assertThat(tree.text()).isEqualTo("{\"x\":1}");
        assertThatThrownBy(() -> tree.compose("experiment=dep"))
                .hasMessageContaining("could not find 'experiment/dep'")
                .hasMessageContaining("did you mean  deep");
    }

    @Test
    void appendsOrChangesAGroup() {
        ConfigTree tree = models().file("config.conf", "defaults = [ { model = small }, _self_ ]");
        assertThat(tree.text("++model=big")).contains("20");
        assertThat(tree.text("++experiment=deep")).contains("\"deep\":true").contains("20");
    }

    @Test
    void suggestsWhichArgumentToRemoveWhenAnAppendedGroupExists() {
        ConfigTree tree = models().file("config.conf", "defaults = [ { model = null }, _self_ ]");
        assertThatThrownBy(() -> tree.compose("+model=big")).hasMessageContaining("omit the +: model=big");
    }

    @Test
    void namesACycle() {
        ConfigTree tree = new ConfigTree()
                .file("config.conf", "defaults = [ { g = a } ]")
                .file("g/a.conf", "defaults = [ b ]")
                .file("g/b.conf", "defaults = [ a ]");
        assertThatThrownBy(tree::compose).hasMessageMatching("(?s).*defaults cycle: g/[ab] -> g/[ab] -> g/[ab].*");
    }

    @Test
    void acceptsNumbersAndBooleansAsOptions() {
        ConfigTree tree = new ConfigTree()
                .file("config.conf", "defaults = [ { size = 1 } ]")
                .file("size/1.conf", "n = 1")
                .file("size/true.conf", "n = 2");
        assertThat(tree.text()).contains("\"n\":1");
        assertThat(tree.text("size=true")).contains("\"n\":2");
    }

    @Test
    void changesLists() {
        ConfigTree tree = new ConfigTree().file("config.conf", "l = [1, 2, 3]", "n = null", "s = x");
        assertThat(tree.text("l+=4")).contains("[1,2,3,4]");
        assertThat(tree.text("l+=[4,5]", "n+=1")).contains("[1,2,3,4,5]").contains("\"n\":[1]");
        assertThat(tree.text("~l.1")).contains("[1,3]");
        assertThat(tree.text("~l=2")).contains("[1,3]");
        assertThat(tree.text("l[0]=9")).contains("[9,2,3]");
        assertThatThrownBy(() -> tree.compose("s+=1")).hasMessageContaining("not a list");
        assertThatThrownBy(() -> tree.compose("~l=7")).hasMessageContaining("no element 7");
        assertThatThrownBy(() -> tree.compose("l.3=1")).hasMessageContaining("has 3 elements");
    }

    /** Configs that are included by path, and options of a list, have no choice key. */
    @Test
    void deletesConfigsByPath() {
        for (String entries : List.of("site/a, site/b", "{ site = [a, b] }", "/site/a, site/b")) {
            ConfigTree tree = new ConfigTree()
                    .file("config.conf", "defaults = [ " + entries + " ]", "x = 1")
                    .file("site/a.conf", "a = 1")
                    .file("site/b.conf", "b = 2")
                    .file("site/c.conf", "c = 3");
            assertThat(tree.text("~site/a"))
                    .as(entries)
                    .contains("\"b\":2", "\"x\":1")
                    .doesNotContain("\"a\"");
            assertThat(tree.text("~site/a", "~site/b")).as(entries).isEqualTo("{\"x\":1}");
            assertThatThrownBy(() -> tree.compose("~site/c")).hasMessageContaining("no match in the defaults list");
            assertThatThrownBy(() -> tree.compose("~site/d")).hasMessageContaining("site/d");
        }
    }

    @Test
    void deletesNullsAndMissingValues() {
        ConfigTree tree = new ConfigTree().file("config.conf", "a = null", "b = \"???\"", "c = \"${nope}\"", "d = 1");
        assertThat(tree.text("~a", "~b", "~c")).isEqualTo("{\"d\":1}");
        assertThatThrownBy(() -> tree.compose("~d=2")).hasMessageContaining("is 1 and not 2");
    }

    @Test
    void replacesWholeMaps() {
        ConfigTree tree = new ConfigTree().file("config.conf", "m { a = 1, b = 2 }");
        assertThat(tree.text("m={a:3}")).isEqualTo("{\"m\":{\"a\":3,\"b\":2}}");
        assertThat(tree.text("m:={c:3}")).isEqualTo("{\"m\":{\"c\":3}}");
        assertThatThrownBy(() -> tree.compose("m={c:3}")).hasMessageContaining("no key 'm.c'");
    }

    @Test
    void rejectsInvalidPackages() {
        ConfigTree tree =
                models().file("config.conf", "defaults = [ { g = x } ]").file("g/x.conf", "_package_ = _group_");
        assertThatThrownBy(tree::compose).hasMessageContaining("'_group_' is not a package");
    }

    @Test
    void rejectsUnknownKeywordsAndColons() {
        ConfigTree tree = models().file("config.conf", "defaults = [ { \"force model\" = small } ]");
        assertThatThrownBy(tree::compose).hasMessageContaining("unknown keyword 'force'");
        tree.file("config.conf", "defaults = [ { \"model@a:b\" = small } ]");
        assertThatThrownBy(tree::compose).hasMessageContaining("a package has no ':'");
    }

    @Test
    void rejectsPathsOutsideOfTheRoots() {
        ConfigTree tree = models().file("config.conf", "defaults = [ \"model/../../secret\" ]")
                .write("secret.conf", "x = 1");
        assertThatThrownBy(tree::compose).hasMessageContaining("is not a path of a config");
    }

    @Test
    void rejectsOverridesWithoutAKey() {
        ConfigTree tree = models().file("config.conf", "defaults = [ { model = small } ]");
        for (String word : new String[] {"=", "==", "=1", "~", "~=", "~=1", "+=1", "++=x", ":=1", "@p=1", "~@p"}) {
            assertThatThrownBy(() -> tree.text("model=big", word))
                    .as(word)
                    .isInstanceOf(StageException.class)
                    .hasMessageContaining("'" + word + "' contains no key");
        }
    }

    @Test
    void acceptsNullAsNoOption() {
        ConfigTree tree = new ConfigTree()
                .file("config.conf", "defaults = [ { a = null }, { b = \"x_${a}\" } ]")
                .file("a/one.conf", "a = 1")
                .file("b/x_null.conf", "b = none")
                .file("b/x_one.conf", "b = one");
        assertThat(tree.text()).isEqualTo("{\"b\":{\"b\":\"none\"}}");
        assertThat(tree.text("a=one")).contains("\"b\":{\"b\":\"one\"}");
    }

    @Test
    void addsKeysToMissingValuesButNotToReferences() {
        ConfigTree tree = new ConfigTree().file("config.conf", "a = \"???\"", "b = ${c}", "c { d = 1 }");
        assertThat(tree.text("+a.x=2")).contains("\"a\":{\"x\":2}");
        assertThatThrownBy(() -> tree.text("+b.x=2"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("'b' is ${c}; override what it refers to, or the whole value");
    }

    @Test
    void treatsAKeyWithASlashAsAGroup() {
        ConfigTree tree = models().file("config.conf", "defaults = [ { model = small } ]");
        assertThatThrownBy(() -> tree.text("modle/deep=big"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("modle/deep");
    }

    @Test
    void checksEveryNameOfAListOfOptions() {
        ConfigTree tree = models().file("config.conf", "defaults = [ { model = small } ]");
        assertThatThrownBy(() -> tree.text("model=[small,[big]]"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("model");
    }
}
