package dev.stagesim.config.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.ConfigTree;
import dev.stagesim.config.Trees;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.config.compose.typed.TypeReader;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.hocon.ConfigFileReader;
import dev.stagesim.model.StageException;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Assignments to declared types, compared with OmegaConf's structured configs. */
class TypedTreesTest {
    private static final String TYPES = String.join(
            "\n",
            "DB { driver = [str, x], port = [int, 1] }",
            "Pool { min = [int, 1] }",
            "Top { name = [str, app], level = [\"enum[LOW,HIGH]\", LOW], flag = [bool, true], n = [\"optional[int]\", null]",
            "  db = [DB, null], names = [\"dict[int,str]\", {}], flags = [\"dict[bool,int]\", {}]",
            "  counts = [\"dict[str,int]\", { k = 1 }], dbs = [\"dict[str,DB]\", {}], list = [\"list[DB]\", []]",
            "  ints = [\"list[int]\", [1]], none = [\"optional[list[int]]\", null], u = [\"union[int,str]\", 1]",
            "  path = [path, p] }");

    private final ConfigTree files = new ConfigTree().file("config.conf", "defaults = [base, _self_]");

    private String composed(String config, String... overrides) {
        TypeReader types = new TypeReader(ConfigFileReader.parse(TYPES, "types").body());
        ConfigEngine engine = ConfigEngine.open(
                List.of(new SearchRoot("main", files.path("main"))),
                List.of(types.config("base", "Top"), types.config("db/pool", "Pool"), types.config("db/db", "DB")),
                name -> Optional.empty());
        ComposeRequest request = ComposeRequest.of(config, List.of(overrides)).withDialect(Dialect.HYDRA);
        return Trees.canonical(engine.compose(request).config());
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {
                "names.1=x|key '1' is no INT",
                "+names.a=x|key 'a' is no INT",
                "+names={a:x}|key 'a' is no INT",
                "+flags={1:1}|key '1' is no BOOL",
                "names={a:x}|key 'a' is no INT",
                "counts={1:2}|key '1' is no STR",
                "counts=3|expected a map",
                "n={a:1}|cannot convert a map to INT",
                "flag={}|cannot convert a map to BOOL",
                "path=[1]|cannot convert a list to PATH",
                "u={a:1}|cannot convert a map to UnionOf",
                "level=[1]|cannot convert a list to EnumOf",
                "name.a=1|cannot convert a map to STR",
                "++level.a=1|cannot convert a map to EnumOf",
                "none={a:1}|cannot merge a map with a list",
                "counts=[1]|cannot merge a list with a map",
                "+dbs.a=3|'3' is not a DB",
                "++db={nope:1}|key 'nope' not in 'DB'",
                "+dbs.a={port:1}|a plain map is not a DB",
                "list.0=3|'3' is not a DB",
                "list.0.port=3|a plain map is not a DB",
                "ints=[null]|null is not a INT",
                "ints.7=1|has 1 elements",
                "~db.port|keys of a typed config cannot be deleted"
            })
    void rejectsInvalidValues(String override, String what) {
        assertThatThrownBy(() -> composed("config", override))
                .isInstanceOf(StageException.class)
                .hasMessageContaining(what);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '`',
            value = {"+names={1:x}|\"names\":{\"1\":\"x\"}", "+db.more=1|\"more\":1", "db={port:'4'}|\"port\":4"})
    void acceptsValidValues(String override, String part) {
        assertThat(composed("config", override)).contains(part);
    }

    @Test
    void deletesOnlyKeysOfTheRoot() {
        assertThat(composed("config", "~counts")).doesNotContain("counts");
    }

    @Test
    void rejectsMergingOfDifferentTypes() {
        files.file("other.conf", "defaults = [base, { db = pool }, _self_]");
        assertThatThrownBy(() -> composed("other")).hasMessageContaining("db: a Pool is not a DB");
        files.file("leaf.conf", "defaults = [base, { \"db@n\" = db }, _self_]");
        assertThatThrownBy(() -> composed("leaf")).hasMessageContaining("n: cannot convert a map to INT");
        files.file("list.conf", "defaults = [base, { \"db@ints\" = db }, _self_]");
        assertThatThrownBy(() -> composed("list")).hasMessageContaining("ints: cannot merge a map with a list");
    }

    @Test
    void rejectsAListForATypedMap() {
        files.file("config.conf", "defaults = [base, _self_]", "db = [1]");
        assertThatThrownBy(() -> composed("config")).hasMessageContaining("db: a list is not a DB");
    }

    @Test
    void checksItemsOfAChoiceOnlyWhenItIsUsed() {
        files.file("db/a.conf", "port = 3").file("plain.conf", "defaults = [{ db = a }]");
        assertThatThrownBy(() -> composed("plain", "db=[a,1]")).hasMessageContaining("the option of group 'db'");
        assertThatThrownBy(() -> composed("plain", "db=[1,zz]")).hasMessageContaining("could not load config 'db/zz'");
        assertThatThrownBy(() -> composed("plain", "db@x=[a,1]")).hasMessageContaining("not in the defaults list");
        assertThatThrownBy(() -> composed("plain", "~db=1")).hasMessageContaining("the option to delete from group");
    }
}
