package dev.stagesim.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ComposeRequest.Mode;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.config.interp.ResolverContext;
import dev.stagesim.config.interp.Resolvers;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.StageException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

class ConfigEngineTest {
    private static ConfigTree shop() {
        return new ConfigTree()
                .file(
                        "config.conf",
                        "defaults = [ _self_, { db = mysql }, { server = apache } ]",
                        "app = demo",
                        "size = 1")
                .file("db/mysql.conf", "port = 3306", "hosts = [a, b]")
                .file("db/pg.conf", "port = 5432", "user = null")
                .file("db/tuned/fast.conf", "port = 1")
                .file("server/apache.conf", "name = apache");
    }

    @Test
    void mergesGroupsInTheOrderOfTheList() {
        assertThat(shop().text())
                .isEqualTo("{\"app\":\"demo\",\"db\":{\"hosts\":[\"a\",\"b\"],\"port\":3306},"
                        + "\"server\":{\"name\":\"apache\"},\"size\":1}");
    }

    @Test
    void keepsTheOrderOfTheAuthor() {
        assertThat(shop().compose().config().keys()).containsExactly("app", "size", "db", "server");
    }

    @Test
    void reportsChoicesAndTheirOrigins() {
        Composition composition = shop().compose("db=pg");
        assertThat(composition.choices()).containsEntry("db", Optional.of("pg"));
        assertThat(composition.defaults())
                .extracting(entry -> entry.config() + "@" + entry.pkg())
                .containsExactly("config@", "db/pg@db", "server/apache@server");
        ScalarNode port =
                (ScalarNode) Trees.find(composition.config(), "db.port").orElseThrow();
        assertThat(port.origin().describe()).isEqualTo("main/db/pg.conf:1");
    }

    @Test
    void recordsValuesThatAnOverrideReplaced() {
        ScalarNode port =
                (ScalarNode) Trees.find(shop().compose("size=2", "db.port=7").config(), "db.port")
                        .orElseThrow();
        assertThat(port.origin().describe()).isEqualTo("override #2 'db.port=7'");
        assertThat(port.previous()).isNotNull();
        assertThat(port.previous().origin().describe()).isEqualTo("main/db/mysql.conf:1");
    }

    @Test
    void listsGroupsAndOptions() {
        ConfigEngine engine = shop().engine();
        assertThat(engine.groups()).containsExactly("db", "db/tuned", "server");
        assertThat(engine.options("db")).containsExactly("mysql", "pg");
        assertThat(engine.optionsBelow("db")).containsExactly("mysql", "pg", "tuned/fast");
        assertThat(engine.options("nope")).isEmpty();
    }

    @Test
    void suggestsOptionsForAnUnknownOne() {
        assertThatThrownBy(() -> shop().compose("db=mysq"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("could not find 'db/mysq'")
                .hasMessageContaining("did you mean  mysql")
                .hasMessageContaining("mysql, pg")
                .hasMessageContaining("override #1 'db=mysq'");
    }

    @Test
    void suggestsOptionsOfFoldersBelowAGroup() {
        assertThatThrownBy(() -> shop().compose("db=tuned/fasst"))
                .hasMessageContaining("did you mean  tuned/fast")
                .hasMessageContaining("options       tuned/fast\n");
        assertThatThrownBy(() -> shop().compose("db=fast")).hasMessageContaining("did you mean  tuned/fast");
    }

    @Test
    void reportsEveryUnknownKeyWithSimilarOnes() {
        assertThatThrownBy(() -> shop().compose("szie=5", "db.prot=1"))
                .isInstanceOfSatisfying(
                        StageException.class, e -> assertThat(e.problems()).hasSize(2))
                .hasMessageContaining("did you mean  size")
                .hasMessageContaining("did you mean  db.port");
    }

    @Test
    void suggestsTheGroupOfATypo() {
        assertThatThrownBy(() -> shop().compose("sever=nginx")).hasMessageContaining("did you mean  server");
    }

    @Test
    void detectsFilesThatChangedSinceTheLastComposition() {
        ConfigTree tree = shop();
        ConfigEngine engine = tree.engine();
        ComposeRequest request = ComposeRequest.of("config", List.of());
        engine.compose(request);
        tree.file("db/mysql.conf", "port = 1", "added = true");
        assertThat(Trees.find(engine.compose(request).config(), "db.added")).isPresent();
    }

    @Test
    void prefersEarlierRootsToLaterOnes() {
        ConfigTree tree =
                shop().root("more").write("more/db/mysql.conf", "port = 9").write("more/db/extra.conf", "x = 1");
        assertThat(tree.text()).contains("3306");
        assertThat(tree.text("db=extra")).contains("\"db\":{\"x\":1}");
    }

    @Test
    void searchesTheDirectoriesThatTheCommandLineAdds() {
        ConfigTree tree = shop().write("extra/db/remote.conf", "port = 2");
        assertThat(tree.text("hydra.searchpath=[extra]", "db=remote")).contains("\"db\":{\"port\":2}");
    }

    @Test
    void excludesSweepsFromTheCommonPart() {
        ConfigEngine engine = shop().engine();
        ComposeRequest sweep = ComposeRequest.of("config", List.of("size=1,2", "app=x"));
        assertThatThrownBy(() -> engine.compose(sweep)).hasMessageContaining("add --multirun");
        assertThat(Trees.canonical(engine.compose(sweep.withMode(Mode.MULTIRUN)).config()))
                .contains("\"app\":\"x\"")
                .contains("\"size\":1");
    }

    @Test
    void rejectsInputOfHydraErrorsInHydraMode() {
        ConfigEngine engine = shop().engine();
        ComposeRequest none = ComposeRequest.of("config", List.of("db=null"));
        assertThat(Trees.find(engine.compose(none).config(), "db")).isEmpty();
        assertThatThrownBy(() -> engine.compose(none.withDialect(Dialect.HYDRA)))
                .hasMessageContaining("must be a name or a list of names");
    }

    @Test
    void composesWithoutAPrimaryConfig() {
        ComposeRequest request = new ComposeRequest(
                Optional.empty(), List.of("+db=pg", "+x=1"), Mode.RUN, Dialect.STAGE, Optional.empty());
        assertThat(Trees.canonical(shop().engine().compose(request).config()))
                .isEqualTo("{\"db\":{\"port\":5432,\"user\":null},\"x\":1}");
    }

    @Test
    void providesFactsOfTheEngineToInterpolations() {
        ConfigTree tree = shop().file(
                        "facts.conf",
                        "defaults = [ { db = mysql } ]",
                        "name = \"${hydra.job.override_dirname}\"",
                        "db_name = \"${hydra:runtime.choices.db}\"");
        Composition composition =
                tree.engine().compose(ComposeRequest.of("facts", List.of("db=pg", "db.port=1", "hydra.job.name=x")));
        Resolvers resolvers = Resolvers.standard(
                new ResolverContext(Map.of(), Instant.EPOCH.atZone(ZoneOffset.UTC), MapNode.empty()));
        assertThat(Trees.canonical(composition.resolved(resolvers)))
                .contains("\"name\":\"db.port=1,db=pg\"")
                .contains("\"db_name\":\"pg\"");
    }

    @Test
    void namesTheRootsWhenThePrimaryConfigIsMissing() {
        assertThatThrownBy(() -> shop().engine().compose(ComposeRequest.of("confg", List.of())))
                .hasMessageContaining("cannot find primary config 'confg'")
                .hasMessageContaining("did you mean  config")
                .hasMessageContaining("main (main)");
    }

    /** The cached result of one choice of groups must not be returned for another choice. */
    @Test
    void cachesTheResultOfEachChoice() {
        ConfigEngine engine = shop().engine();
        for (int round = 0; round < 2; round++) {
            assertThat(port(engine, "db=mysql")).isEqualTo("3306");
            assertThat(port(engine, "db=pg")).isEqualTo("5432");
            assertThat(port(engine, "~db", "+db.port=7")).isEqualTo("7");
            assertThat(port(engine, "~server", "+server@db=apache", "db.port=8"))
                    .isEqualTo("8");
        }
    }

    private static String port(ConfigEngine engine, String... overrides) {
        MapNode config =
                engine.compose(ComposeRequest.of("config", List.of(overrides))).config();
        return ((ScalarNode) Trees.find(config, "db.port").orElseThrow()).text();
    }

    @Test
    void choosesOptionsByTheEnvironment() {
        ConfigTree tree = new ConfigTree()
                .file(
                        "config.conf",
                        "defaults = [ { db = \"${oc.env:SITE, pg}\" }, { server = \"x_${oc.env:SITE}\" } ]")
                .file("db/pg.conf", "port = 1")
                .file("db/here.conf", "port = 2")
                .file("server/x_here.conf", "name = x");
        ConfigEngine engine = tree.engine(name -> name.equals("SITE") ? Optional.of("here") : Optional.empty());
        assertThat(Trees.canonical(
                        engine.compose(ComposeRequest.of("config", List.of())).config()))
                .isEqualTo("{\"db\":{\"port\":2},\"server\":{\"name\":\"x\"}}");
        assertThat(Trees.canonical(tree.compose("server=x_here").config())).contains("\"port\":1");
        assertThatThrownBy(tree::compose).isInstanceOf(StageException.class).hasMessageContaining("x_${oc.env:SITE}");
    }

    @Test
    void suggestsKeysToDelete() {
        assertThatThrownBy(() -> shop().compose("~db.prot"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("'db.prot' does not exist")
                .hasMessageContaining("db.port");
        assertThatThrownBy(() -> shop().compose("~szie"))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("did you mean")
                .hasMessageContaining("size");
    }
}
