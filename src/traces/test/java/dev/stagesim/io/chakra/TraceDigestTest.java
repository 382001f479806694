package dev.stagesim.io.chakra;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.model.trace.EtAttribute;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNames;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.Arrays;
import java.util.HashSet;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Traces of more than two pieces of 64 KiB, as ranks have them. */
class TraceDigestTest {
    private static final int NODES = 5_000;

    /** Writes a chain of nodes; node {@code other}, if it exists, sends {@code bytes} bytes. */
    private static byte[] trace(long firstId, int other, long bytes) throws IOException {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (EtWriter writer = EtWriter.of(out, EtMetadata.EMPTY)) {
            for (int i = 0; i < NODES; i++) {
                EtNode node = EtNode.of(
                        firstId + i,
                        "collective",
                        NodeType.COMM_COLL_NODE,
                        EtAttribute.ofLong(EtNames.COMM_SIZE, i == other ? bytes : 1024));
                writer.write(i == 0 ? node : node.withDataDeps(firstId + i - 1));
            }
        }
        return out.toByteArray();
    }

    @Test
    void changesWithEveryByte() throws IOException {
        assertThat(trace(0, -1, 0).length).isGreaterThan(2 << 16);
        Set<String> digests = new HashSet<>();
        for (int other = -1; other < NODES; other += 250) {
            digests.add(TraceDigest.of(trace(0, other, 1025)).digest());
        }
        assertThat(digests).hasSize(21);
    }

    @Test
    void ignoresAnOffsetOfAllIds() throws IOException {
        TraceDigest here = TraceDigest.of(trace(0, 17, 1025));
        TraceDigest there = TraceDigest.of(trace(1L << 40, 17, 1025));
        assertThat(there.digest()).isEqualTo(here.digest());
        assertThat(there.firstId()).isEqualTo(1L << 40);
    }

    @Test
    void changesWithDependencies() throws IOException {
        ByteArrayOutputStream one = new ByteArrayOutputStream();
        ByteArrayOutputStream other = new ByteArrayOutputStream();
        try (EtWriter first = EtWriter.of(one, EtMetadata.EMPTY);
                EtWriter second = EtWriter.of(other, EtMetadata.EMPTY)) {
            for (int i = 0; i < 4; i++) {
                EtNode node = EtNode.of(i, "n", NodeType.COMP_NODE);
                first.write(i < 3 ? node : node.withDataDeps(1));
                second.write(i < 3 ? node : node.withDataDeps(2));
            }
        }
        assertThat(TraceDigest.of(one.toByteArray())).isNotEqualTo(TraceDigest.of(other.toByteArray()));
    }

    @Test
    void usesTheBytesOfUnreadableFiles() throws IOException {
        byte[] cut = trace(0, -1, 0);
        cut[cut.length / 2] ^= 0x7f;
        byte[] rest = Arrays.copyOf(cut, cut.length - 3);
        assertThat(TraceDigest.of(rest).digest()).startsWith("bytes ");
        assertThat(TraceDigest.of(rest)).isEqualTo(TraceDigest.of(rest.clone()));
    }
}
