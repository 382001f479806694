package dev.stagesim.io.chakra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtNodes;
import dev.stagesim.model.trace.LegacyField;
import dev.stagesim.model.trace.LegacyNode;
import dev.stagesim.model.trace.LegacyNodeType;
import dev.stagesim.model.trace.NodeType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class EtTemplateTest {
    private static final EtMetadata METADATA = new EtMetadata("1.0.0", List.of(EtAttribute.ofText("a", "b")));
    private static final List<EtNode> NODES = List.of(
            EtNode.of(0, "first", NodeType.COMP_NODE).withDuration(300),
            EtNode.of(1, "", NodeType.INVALID_NODE).withDataDeps(0),
            EtNodes.withCtrlDeps(
                    EtNode.of(2, "x".repeat(70_000), NodeType.COMM_COLL_NODE, EtAttribute.ofLong("comm_size", -1))
                            .withDataDeps(0, 1),
                    1));

    @ParameterizedTest
    @ValueSource(longs = {0, 1, 126, 16_383, 1L << 34, Long.MAX_VALUE, -3})
    void writesTheBytesOfTheWriter(long shift) throws IOException {
        ByteArrayOutputStream expected = new ByteArrayOutputStream();
        try (EtWriter writer = EtWriter.of(expected, METADATA)) {
            for (EtNode node : NODES) {
                EtNode moved = EtNodes.withId(node, node.id() + shift).withDataDeps(moved(node.dataDeps(), shift));
                writer.write(EtNodes.withCtrlDeps(moved, moved(node.ctrlDeps(), shift)));
            }
        }
        ByteArrayOutputStream actual = new ByteArrayOutputStream();
        new EtTemplate(METADATA, NODES).write(actual, shift);
        assertThat(actual.toByteArray()).isEqualTo(expected.toByteArray());
    }

    private static long[] moved(long[] ids, long shift) {
        long[] moved = ids.clone();
        for (int i = 0; i < moved.length; i++) {
            moved[i] += shift;
        }
        return moved;
    }

    @Test
    void readsBackTheFirstSchema(@TempDir Path dir) throws IOException {
        LegacyNode node = LegacyNode.of(0, "n", LegacyNodeType.COMM_COLL_NODE)
                .withParents(1, 300)
                .with(LegacyField.COMM_TYPE, 0)
                .with(LegacyField.COMM_SIZE, 0xffffffffL)
                .withInvolvedDims(true, false);
        Path file = dir.resolve("t.eg");
        try (LegacyWriter writer = new LegacyWriter(Files.newOutputStream(file))) {
            writer.write(node);
        }
        try (LegacyReader reader = LegacyReader.open(file)) {
            assertThat(reader.next()).isEqualTo(node);
            assertThat(reader.next()).isNull();
        }
    }
}
