package dev.stagesim.config.tree;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.json.Json;
import dev.stagesim.io.json.LocatedJson;
import java.util.Map;
import org.junit.jupiter.api.Test;

final class NodeJsonTest {
    @Test
    void restoresEveryKindOfValue() {
        LocatedJson at = Json.parse(
                "{\"a\": {\"b\": [1, 2.5, \"x\", true, null, 99999999999999999999]}, \"c\": \"007\"}", "s.json");
        MapNode tree = NodeJson.node(at);
        assertThat(NodeJson.json(tree)).isEqualTo(at.value());
        assertThat(tree.origin().describe()).isEqualTo("s.json");
    }

    @Test
    void writesInfinitiesAsText() {
        ScalarNode infinite = ScalarNode.of(Double.POSITIVE_INFINITY, "inf", dev.stagesim.config.tree.Origin.DEFAULT);
        MapNode tree = MapNode.of(Map.of("x", infinite), dev.stagesim.config.tree.Origin.DEFAULT);
        assertThat(Json.compact(NodeJson.json(tree))).isEqualTo("{\"x\":\"inf\"}");
    }
}
