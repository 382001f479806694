package dev.stagesim.config.compose;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.ComposeRequest;
import dev.stagesim.config.ConfigText;
import dev.stagesim.config.ConfigTree;
import dev.stagesim.config.bind.SettingsSchema;
import dev.stagesim.model.Key;
import dev.stagesim.model.Variant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Composition on top of a program's keys. */
class SchemaTest {
    /** A root with all kinds of sections. */
    public record Settings(
            @Key(doc = "Number of jobs.", def = "1") long numJobs,
            @Key(doc = "Weights by name.", def = "{}") Map<String, Double> weights,
            @Key(doc = "What arrives when.", def = "{ kind = poisson }") Arrival arrival) {}

    /** A section of several kinds. */
    public sealed interface Arrival permits Poisson, Static {}

    @Variant("poisson")
    public record Poisson(@Key(doc = "Rate.", unit = "requests/s", def = "2.0") double qps) implements Arrival {}

    @Variant("static")
    public record Static(@Key(doc = "Gap.", unit = "ns", def = "5") long gap) implements Arrival {}

    private static String compose(ConfigTree tree, String... overrides) {
        ComposeRequest request =
                ComposeRequest.of("config", List.of(overrides)).withSchema(SettingsSchema.of(Settings.class));
        return ConfigText.canonical(tree.engine().compose(request).config());
    }

    @Test
    void shouldStartFromTheDefaults() {
        ConfigTree tree = new ConfigTree().file("config.conf", "num_jobs = 3");
        assertThat(compose(tree))
                .contains("\"num_jobs\":3")
                .contains("\"kind\":\"poisson\"")
                .contains("\"qps\":2");
    }

    @Test
    void shouldAcceptKeysOfOtherKindsAndOfOpenMaps() {
        ConfigTree tree = new ConfigTree().file("config.conf", "");
        assertThat(compose(tree, "arrival.kind=static", "arrival.gap=7", "weights.x=1.5"))
                .contains("\"gap\":7")
                .contains("\"x\":1.5");
    }

    @Test
    void shouldStillRejectKeysThatNobodyKnows() {
        ConfigTree tree = new ConfigTree().file("config.conf", "");
        assertThatThrownBy(() -> compose(tree, "arrival.gapp=7", "num_job=2"))
                .hasMessageContaining("did you mean  arrival.gap")
                .hasMessageContaining("did you mean  num_jobs");
    }
}
