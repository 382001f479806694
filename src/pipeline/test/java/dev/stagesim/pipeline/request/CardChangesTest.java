package dev.stagesim.pipeline.request;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.bind.BindOptions;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class CardChangesTest {
    private static List<String> changes(Map<String, Node> card, String... overrides) {
        MapNode tree = MapNode.of(Map.of("hardware", MapNode.of(card, Origin.UNKNOWN)), Origin.UNKNOWN);
        return CardChanges.in(
                new RunRequest(
                        tree, List.of(overrides), Map.of(), Optional.empty(), Optional.empty(), BindOptions.STRICT),
                "hardware");
    }

    private static ScalarNode value(String text, String file) {
        return ScalarNode.of(text, Origin.file(file, 3));
    }

    @Test
    void listsValuesFromConfigsOutsideTheGroups() {
        assertThat(changes(Map.of(
                        "name", value("H100", "configs/hardware/h100.conf"),
                        "mem_type", value("other", "mine/deployment.conf"),
                        "form", value("SXM", "configs/hardware/base.conf"))))
                .containsExactly("hardware.mem_type=other");
        assertThat(changes(Map.of("name", value("Own", "own.conf"), "form", value("SXM", "own.conf"))))
                .isEmpty();
    }

    @Test
    void listsOverridesOfValuesOnly() {
        assertThat(changes(
                        Map.of(),
                        "hardware=h100",
                        "hardware.mem_bw_gbs=9",
                        "++hardware.kernels.product_us=1",
                        "model.num_layers=3",
                        "cluster.pools.a.hardware.mem_gb=7"))
                .containsExactly(
                        "hardware.mem_bw_gbs=9",
                        "++hardware.kernels.product_us=1",
                        "cluster.pools.a.hardware.mem_gb=7");
    }
}
