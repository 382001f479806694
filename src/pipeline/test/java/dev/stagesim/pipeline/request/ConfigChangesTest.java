package dev.stagesim.pipeline.request;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.NodeJson;
import dev.stagesim.io.json.Json;
import dev.stagesim.stage.StageContext.SameAs;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

final class ConfigChangesTest {
    private static final MapNode TREE =
            NodeJson.node(Json.parse("{\"a\":{\"b\":1,\"c\":[2]},\"all\":{\"x\":{\"k\":true}},\"d\":\"t\"}", "tree"));

    private static String changed(Map<String, Object> changes) {
        return Json.compact(NodeJson.json(ConfigChanges.apply(TREE, changes)));
    }

    @Test
    void setsCopiesAndReplaces() {
        Map<String, Object> changes = new LinkedHashMap<>();
        changes.put("a.b", 5);
        changes.put("d", new SameAs("all.x"));
        changes.put("d.k", false);
        changes.put("new.e", Map.of("f", 1.5));
        changes.put("a.c", List.of(Optional.empty(), "z"));
        assertThat(changed(changes))
                .isEqualTo("{\"a\":{\"b\":5,\"c\":[null,\"z\"]},\"all\":{\"x\":{\"k\":true}},\"d\":{\"k\":false},"
                        + "\"new\":{\"e\":{\"f\":1.5}}}");
    }

    @Test
    void failsAsABugWhenAKeyIsMissing() {
        assertThatThrownBy(() -> changed(Map.of("d", new SameAs("all.y")))).hasMessageContaining("all.y");
    }
}
