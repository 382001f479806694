package dev.stagesim.io.chakra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtIo;
import dev.stagesim.model.trace.EtKind;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.EtNodes;
import dev.stagesim.model.trace.EtValue;
import dev.stagesim.model.trace.NodeType;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.zip.GZIPOutputStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class EtReaderTest {
    private static final EtMetadata METADATA =
            new EtMetadata("1.0.0", List.of(EtAttribute.ofText("schema", "1.0.2-chakra.1.0.0")));
    private static final EtNode PLAIN = EtNode.of(
                    7,
                    "größe",
                    NodeType.COMM_COLL_NODE,
                    EtAttribute.ofLong(EtNames.COMM_SIZE, -1),
                    EtAttribute.ofBools(EtNames.INVOLVED_DIM, true, false),
                    new EtAttribute("d", new EtValue.Real(EtKind.DOUBLE, 0.1)),
                    new EtAttribute("f", new EtValue.Reals(EtKind.FLOAT, new double[] {1.5f, -0.0f})),
                    new EtAttribute("s", new EtValue.Wholes(EtKind.SINT32, new long[] {-3, 4})),
                    new EtAttribute("x", new EtValue.Wholes(EtKind.FIXED64, new long[] {-1})),
                    new EtAttribute("t", new EtValue.Texts(List.of("", "b"))),
                    new EtAttribute("none", new EtValue.Wholes(EtKind.INT64, new long[0])),
                    new EtAttribute("b", new EtValue.Blob(new byte[] {0, -1})),
                    new EtAttribute("unset", new EtValue.Unset()))
            .withDataDeps(1, 2, 300)
            .withTimes(5, 6);
    private static final EtNode NODE = EtNodes.withIo(
            EtNodes.withCtrlDeps(PLAIN, -1L), new EtIo("[1]", "[[2]]", "['Tensor']"), new EtIo("", "", ""));

    private static byte[] written(EtMetadata metadata, EtNode... nodes) throws IOException {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (EtWriter writer = EtWriter.of(bytes, metadata)) {
            for (EtNode node : nodes) {
                writer.write(node);
            }
        }
        return bytes.toByteArray();
    }

    private static List<EtNode> nodes(byte[] bytes) throws IOException {
        List<EtNode> nodes = new ArrayList<>();
        try (EtReader reader = EtReader.of(new ByteArrayInputStream(bytes), "t.et")) {
            for (EtNode node = reader.next(); node != null; node = reader.next()) {
                nodes.add(node);
            }
        }
        return nodes;
    }

    private static byte[] hex(String text) {
        return HexFormat.of().parseHex(text.replace(" ", ""));
    }

    @Test
    void writesTheTraceThatItReads() throws IOException {
        byte[] bytes = written(METADATA, NODE, EtNodes.withId(NODE, 0));

        assertThat(nodes(bytes)).containsExactly(NODE, EtNodes.withId(NODE, 0));
        try (EtReader reader = EtReader.of(new ByteArrayInputStream(bytes), "t.et")) {
            assertThat(reader.metadata()).isEqualTo(METADATA);
            assertThat(reader.hasMetadata()).isTrue();
        }
    }

    @Test
    void readsCompressedTraces() throws IOException {
        ByteArrayOutputStream packed = new ByteArrayOutputStream();
        try (GZIPOutputStream gzip = new GZIPOutputStream(packed)) {
            gzip.write(written(METADATA, NODE));
        }
        assertThat(nodes(packed.toByteArray())).containsExactly(NODE);

        byte[] cut = Arrays.copyOf(packed.toByteArray(), packed.size() - 12);
        assertThatThrownBy(() -> nodes(cut))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("the compressed data are damaged");
    }

    /** Unknown fields in a node (field 11), an attribute (field 40) and metadata (field 15), and an unpacked list. */
    @Test
    void keepsUnknownFieldsAndPacksLists() throws IOException {
        byte[] file = hex("027805 0d 0801 2801 2802 52 03 0a 01 61 5809");
        byte[] withAttributeField = hex("027805 0d 0801 5209 0a0161 4801 c202 01 7a");

        EtNode node = nodes(file).get(0);
        assertThat(node.dataDeps()).containsExactly(1, 2);
        assertThat(node.unknown()).isEqualTo(hex("5809"));
        assertThat(written(new EtMetadata("", List.of(), hex("7805")), node))
                .isEqualTo(hex("027805 0d 0801 2a020102 52 03 0a 01 61 5809"));
        assertThat(nodes(withAttributeField).get(0).attributes().get(0).unknown())
                .isEqualTo(hex("c202017a"));
    }

    @Test
    void acceptsAFileWithoutMetadata() throws IOException {
        byte[] bytes = written(EtMetadata.EMPTY, NODE, NODE);
        byte[] without = Arrays.copyOfRange(bytes, 1, bytes.length);

        try (EtReader reader = EtReader.of(new ByteArrayInputStream(without), "t.et")) {
            assertThat(reader.hasMetadata()).isFalse();
        }
        assertThat(nodes(without)).hasSize(2);
        assertThat(nodes(new byte[0])).isEmpty();
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "00 05 0801 | message 1 at byte 2: the file ends after 2 of the message's 5 bytes",
                "00 ff | message 1 at byte 1: the file ends within the length of a message",
                "00 ffffffff7f 00 | message 1 at byte 1: a message cannot have 34359738367 bytes",
                "00 ffffffffffffffffffffff | message 1 at byte 1: the length of a message takes more than 10 bytes",
                "00 02 0801 03 120541 | message 2 at byte 6: no node",
                "00 03 1201ff | message 1 at byte 5: no node",
                "00 01 0c | message 1 at byte 3: no node",
            })
    void locatesDamage(String bytes, String message) {
        assertThatThrownBy(() -> nodes(hex(bytes)))
                .isInstanceOf(StageException.class)
                .hasMessageStartingWith("trace error: t.et: " + message);
    }

    @Test
    void reportsMissingFields() {
        assertThatThrownBy(() -> EtReader.open(java.nio.file.Path.of("no-such.et")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("no-such.et: there is no such file");
    }

    private static long count(byte[] bytes) throws IOException {
        java.nio.file.Path file = com.google.common.jimfs.Jimfs.newFileSystem(
                        com.google.common.jimfs.Configuration.unix())
                .getPath("/t.et");
        java.nio.file.Files.write(file, bytes);
        try (EtReader reader = EtReader.openAsPython(file)) {
            long count = 0;
            while (reader.next() != null) {
                count++;
            }
            return count;
        }
    }

    /** Metadata with one unknown field, then a node with id 1. */
    private static final String HEAD = "020801" + "020801";

    @Test
    void stopsAtTheSameByteAsThePythonTools() throws IOException {
        assertThat(count(HexFormat.of().parseHex(HEAD))).isOne();
        for (String end : List.of("00", "00020802", "80", "ff", "8080", "80808080808080808080800102")) {
            assertThat(count(HexFormat.of().parseHex(HEAD + end))).as(end).isOne();
        }
        for (String cut : List.of("02", "050801")) {
            assertThat(count(HexFormat.of().parseHex(HEAD + cut))).as(cut).isEqualTo(2);
        }
        assertThatThrownBy(() -> count(HexFormat.of().parseHex(HEAD + "0308")))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("ends beyond");
        assertThat(count(new byte[0])).isZero();
    }

    /** Unpacked lists and unknown fields take time linear in the message size. */
    @Test
    void mergesRepeatedFields() throws IOException {
        int pieces = 300_000;
        for (String piece : List.of("2801", "a80601", "52038a0100")) {
            byte[] one = HexFormat.of().parseHex(piece);
            byte[] message = new byte[pieces * one.length];
            for (int i = 0; i < message.length; i++) {
                message[i] = one[i % one.length];
            }
            java.io.ByteArrayOutputStream out = new java.io.ByteArrayOutputStream();
            out.write(HexFormat.of().parseHex("020801"));
            com.google.protobuf.CodedOutputStream coded = com.google.protobuf.CodedOutputStream.newInstance(out);
            coded.writeUInt32NoTag(message.length);
            coded.flush();
            out.write(message);
            com.sun.management.ThreadMXBean threads =
                    (com.sun.management.ThreadMXBean) java.lang.management.ManagementFactory.getThreadMXBean();
            long before = threads.getCurrentThreadAllocatedBytes();
            assertThat(count(out.toByteArray())).isOne();
            assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(200L << 20);
        }
    }
}
