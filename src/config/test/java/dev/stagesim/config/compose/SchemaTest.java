package dev.stagesim.config.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigTree;
import dev.stagesim.config.Trees;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.config.grammar.Dialect;
import dev.stagesim.model.Key;
import dev.stagesim.model.Problem;
import dev.stagesim.model.StageException;
import dev.stagesim.model.Variant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Composition on top of a program's keys. */
class SchemaTest {
    /** A root with all kinds of sections. */
    public record Settings(
            @Key("Number of jobs. | 1") long numJobs,
            @Key("Weights by name. | {}") Map<String, Double> weights,
            @Key("What arrives when. | { kind = poisson }") Arrival arrival) {}

    /** A section of several kinds. */
    public sealed interface Arrival permits Poisson, Static {}

    @Variant("poisson")
    public record Poisson(@Key("Rate. | 2.0 | requests/s") double qps) implements Arrival {}

    @Variant("static")
    public record Static(@Key("Gap. | 5 | ns") long gap) implements Arrival {}

    private static String compose(ConfigTree tree, String... overrides) {
        ComposeRequest request =
                ComposeRequest.of("config", List.of(overrides)).withSchema(SettingsSchema.of(Settings.class));
        return Trees.canonical(tree.engine().compose(request).config());
    }

    @Test
    void startsFromTheDefaults() {
        ConfigTree tree = new ConfigTree().file("config.conf", "num_jobs = 3");
        assertThat(compose(tree))
                .contains("\"num_jobs\":3")
                .contains("\"kind\":\"poisson\"")
                .contains("\"qps\":2");
    }

    @Test
    void acceptsKeysOfOtherKindsAndOfOpenMaps() {
        ConfigTree tree = new ConfigTree().file("config.conf", "");
        assertThat(compose(tree, "arrival.kind=static", "arrival.gap=7", "weights.x=1.5"))
                .contains("\"gap\":7")
                .contains("\"x\":1.5");
    }

    @Test
    void rejectsUnknownKeys() {
        ConfigTree tree = new ConfigTree().file("config.conf", "");
        assertThatThrownBy(() -> compose(tree, "arrival.gapp=7", "num_job=2"))
                .hasMessageContaining("did you mean  arrival.gap")
                .hasMessageContaining("did you mean  num_jobs");
    }

    @Test
    void suggestsTheSectionOfAKey() {
        ConfigTree tree = new ConfigTree().file("config.conf", "");
        assertThatThrownBy(() -> compose(tree, "qps=3")).hasMessageContaining("did you mean  arrival.qps");
        assertThatThrownBy(() -> compose(tree, "gap=3"))
                .as("a key of another kind of arrival")
                .hasMessageNotContaining("did you mean");
    }

    @Test
    void suggestsNoAppendedGroupForAKeyOfASection() {
        ConfigTree tree = grouped().file("qps/x.conf", "y = 1");
        assertThatThrownBy(() -> compose(tree, "load=heavy", "qps=x"))
                .hasMessageContaining("did you mean  arrival.qps")
                .hasMessageNotContaining("+qps=x");
        assertThatThrownBy(() -> compose(tree, "load=heavy", "extra=x")).hasMessageContaining("+extra=x");
    }

    private static List<String> wrong(ConfigTree tree, Dialect dialect, String... overrides) {
        ComposeRequest request = ComposeRequest.of("config", List.of(overrides))
                .withSchema(SettingsSchema.of(Settings.class))
                .withDialect(dialect);
        StageException thrown =
                catchThrowableOfType(StageException.class, () -> tree.engine().compose(request));
        return thrown.problems().stream().map(Problem::where).toList();
    }

    private static ConfigTree grouped() {
        return new ConfigTree()
                .file("config.conf", "defaults = [ { arrival = slow }, { load = \"???\" }, _self_ ]", "num_jobs = 2")
                .file("arrival/slow.conf", "kind = poisson", "qps = 0.5")
                .file("load/heavy.conf", "_package_ = _global_", "num_jobs = 50")
                .file("extra/x.conf", "y = 1");
    }

    @Test
    void reportsGroupsKeysAndValuesTogether() {
        assertThat(wrong(
                        grouped(),
                        Dialect.STAGE,
                        "num_job=1",
                        "arival=slow",
                        "nope/x=2",
                        "arrival=slo",
                        "extra=x",
                        "weights.a=1",
                        "arrival.qps=3",
                        "num_jobs=many"))
                .containsExactlyInAnyOrder("arrival", "load", "extra", "num_job", "arival", "nope/x", "num_jobs");
    }

    @Test
    void reportsWrongValuesWithUnknownKeys() {
        assertThat(wrong(grouped(), Dialect.STAGE, "load=heavy", "arrival.qpss=1", "num_jobs=many"))
                .containsExactly("arrival.qpss", "num_jobs");
    }

    @Test
    void acceptsKeysThatAMissingOptionMightDefine() {
        assertThat(wrong(grouped(), Dialect.STAGE, "load=heavie", "~weights.b", "+arrival.more=1"))
                .containsExactly("load");
    }

    @Test
    void acceptsGroupsThatAMissingOptionMightAdd() {
        ConfigTree tree = grouped().file("load/deep.conf", "_package_ = _global_", "defaults = [ { extra = x } ]");
        assertThat(wrong(tree, Dialect.STAGE, "load=dep", "extra=x")).containsExactly("load");
    }

    @Test
    void stopsAtTheFirstWrongGroupLikeHydra() {
        assertThat(wrong(grouped(), Dialect.HYDRA, "num_job=1", "arrival=slo", "num_jobs=many"))
                .containsExactly("load");
    }
}
