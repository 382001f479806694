package dev.stagesim.config.grammar;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.assertThrows;

import dev.stagesim.config.tree.ListNode;
import dev.stagesim.config.tree.MapNode;
import dev.stagesim.config.tree.Node;
import dev.stagesim.config.tree.Origin;
import dev.stagesim.config.tree.ScalarNode;
import dev.stagesim.model.StageException;
import org.junit.jupiter.api.Test;

class ValueNodesTest {
    private static Node node(String text) {
        ConfigOverride override = OverrideParser.parse(text, 4, Dialect.STAGE);
        return ValueNodes.toNode(override.value().orElseThrow(), override.origin());
    }

    @Test
    void keepsTypesTextsAndOrigin() {
        MapNode map = (MapNode) node("a={n:null,b:True,i:1_0,f:1.0,s:007,l:['x']}");

        assertThat(((ScalarNode) map.get("n")).isNull()).isTrue();
        assertThat(((ScalarNode) map.get("b")).value()).isEqualTo(true);
        assertThat(((ScalarNode) map.get("i")).text()).isEqualTo("1_0");
        assertThat(((ScalarNode) map.get("f")).value()).isEqualTo(1.0);
        assertThat(((ScalarNode) map.get("s")).kind()).isEqualTo(ScalarNode.Kind.STRING);
        assertThat(((ListNode) map.get("l")).items()).hasSize(1);
        assertThat(map.origin()).isEqualTo(Origin.override(4, "a={n:null,b:True,i:1_0,f:1.0,s:007,l:['x']}"));
    }

    @Test
    void rejectsSweeps() {
        assertThrows(StageException.class, () -> node("a=1,2"));
    }
}
