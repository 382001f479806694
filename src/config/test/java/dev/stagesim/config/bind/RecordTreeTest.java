package dev.stagesim.config.bind;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.quicktheories.QuickTheory.qt;
import static org.quicktheories.generators.SourceDSL.doubles;
import static org.quicktheories.generators.SourceDSL.integers;
import static org.quicktheories.generators.SourceDSL.lists;
import static org.quicktheories.generators.SourceDSL.longs;
import static org.quicktheories.generators.SourceDSL.strings;

import dev.stagesim.config.tree.MapNode;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.quicktheories.core.Gen;

class RecordTreeTest {
    private static final SampleSettings EVERY_KEY = new SampleSettings(
            new SampleSettings.Zipf(1.5, 2, 3),
            new SampleSettings.Server("x", 2.5, 7, false, 1024, Duration.ofNanos(1500), List.of("c"), Optional.of(3)),
            Map.of("w", 0.5),
            List.of(new SampleSettings.Gpu("a100", 2)),
            Optional.of(Path.of("a/b")),
            SampleSettings.Mode.STRICT);

    @Test
    void writesKindsFirstAndNamesInSnakeCase() {
        MapNode tree = RecordTree.of(EVERY_KEY);

        assertThat(Trees.section(tree, "lengths").keys()).containsExactly("kind", "theta", "min", "max");
        assertThat(Trees.section(tree, "server").keys()).contains("warm_up");
    }

    @Test
    void writesATreeThatBindsToTheSameRecord() {
        Gen<String> texts = strings().basicMultilingualPlaneAlphabet().ofLengthBetween(0, 8);
        qt().withExamples(200)
                .forAll(
                        settings(texts),
                        lists().of(texts).ofSizeBetween(0, 3),
                        doubles().any())
                .checkAssert((settings, names, weight) -> {
                    SampleSettings.Server server = settings.server();
                    SampleSettings more = new SampleSettings(
                            settings.lengths(),
                            new SampleSettings.Server(
                                    server.name(),
                                    server.qps(),
                                    server.seed(),
                                    server.warmUp(),
                                    server.memory(),
                                    server.timeout(),
                                    names,
                                    server.cap()),
                            Double.isFinite(weight) ? Map.of("a.b", Math.abs(weight)) : Map.of(),
                            settings.gpus(),
                            settings.dir(),
                            settings.mode());
                    assertThat(Binder.bind(RecordTree.of(more), SampleSettings.class))
                            .isEqualTo(more);
                });
    }

    private static Gen<SampleSettings> settings(Gen<String> texts) {
        return integers()
                .between(1, 64)
                .zip(
                        longs().all(),
                        texts,
                        doubles().between(0.001, 1e9),
                        (cap, seed, name, qps) -> new SampleSettings(
                                cap % 2 == 0 ? new SampleSettings.Fixed(cap) : new SampleSettings.Zipf(qps, 1, cap),
                                new SampleSettings.Server(
                                        name.equals("???") ? "x" : name,
                                        qps,
                                        seed,
                                        cap % 3 == 0,
                                        seed & Long.MAX_VALUE,
                                        Duration.ofNanos(seed & Long.MAX_VALUE),
                                        List.of(),
                                        cap % 5 == 0 ? Optional.empty() : Optional.of(cap)),
                                Map.of(),
                                cap % 4 == 0 ? List.of() : List.of(new SampleSettings.Gpu("g", 1 + cap % 8)),
                                Optional.empty(),
                                cap % 7 == 0 ? SampleSettings.Mode.STRICT : SampleSettings.Mode.BEST_EFFORT));
    }

    @Test
    void satisfiesTheContract() {
        SettingsContract.assertEveryKeyNonDefault(EVERY_KEY);
        SettingsContract.assertDefaults(new SampleSettings(
                new SampleSettings.Fixed(128),
                new SampleSettings.Server(
                        "any", 1.0, 42, true, 1L << 30, Duration.ofMillis(250), List.of("a", "b"), Optional.empty()),
                Map.of(),
                List.of(),
                Optional.empty(),
                SampleSettings.Mode.BEST_EFFORT));
    }

    @Test
    void detectsWrongDefaultsAndUnchangedKeys() {
        SampleSettings.Server server = EVERY_KEY.server();
        SampleSettings atDefault = new SampleSettings(
                EVERY_KEY.lengths(),
                new SampleSettings.Server("x", 1.0, 7, false, 1024, server.timeout(), server.tags(), server.cap()),
                EVERY_KEY.weights(),
                EVERY_KEY.gpus(),
                EVERY_KEY.dir(),
                EVERY_KEY.mode());

        assertThatThrownBy(() -> SettingsContract.assertEveryKeyNonDefault(atDefault))
                .hasMessageContaining("server.qps");
        assertThatThrownBy(() -> SettingsContract.assertDefaults(EVERY_KEY)).isInstanceOf(AssertionError.class);
    }
}
