package dev.stagesim.io.astra;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.chakra.EtWriter;
import dev.stagesim.io.chakra.LegacyWriter;
import dev.stagesim.model.StageException;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.LegacyField;
import dev.stagesim.model.trace.LegacyNode;
import dev.stagesim.model.trace.LegacyNodeType;
import dev.stagesim.model.trace.NodeType;
import dev.stagesim.sim.collective.spec.AstraCompat;
import dev.stagesim.sim.collective.trace.RankTrace;
import dev.stagesim.sim.trace.feed.FeederVersion;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

final class TraceFilesTest {
    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private final Path prefix = files.getPath("/t");

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    @Test
    void parsesEqualFilesOnce() throws IOException {
        write(0, 1);
        write(1, 2);
        write(2, 1);
        TraceFiles reader = new TraceFiles(AstraCompat.NONE);
        List<RankTrace> traces = reader.read(prefix, 3, (count, of) -> {});
        assertThat(traces.get(0)).isSameAs(traces.get(2)).isNotSameAs(traces.get(1));
        assertThat(traces.get(1).size()).isEqualTo(2);
        assertThat(reader.distinct()).isEqualTo(2);
        assertThat(reader.collective(prefix).traces()).hasSize(3);
    }

    @Test
    void sharesTracesWithShiftedIds() throws IOException {
        write(0, 3);
        try (EtWriter writer = EtWriter.create(RankFiles.file(prefix, 1), EtMetadata.EMPTY)) {
            for (int i = 0; i < 3; i++) {
                writer.write(EtNode.of(1000 + i, "n" + i, NodeType.COMP_NODE).withDataDeps(deps(1000, i)));
            }
        }
        try (EtWriter writer = EtWriter.create(RankFiles.file(prefix, 2), EtMetadata.EMPTY)) {
            for (int i = 0; i < 3; i++) {
                writer.write(EtNode.of(i, "n" + i, NodeType.COMP_NODE).withDataDeps(i == 2 ? deps(0, 1) : deps(0, i)));
            }
        }
        TraceFiles.Ranks ranks = new TraceFiles(AstraCompat.NONE).readRanks(RankFiles.of(prefix), 3, (count, of) -> {});
        assertThat(ranks.traces().get(1))
                .isSameAs(ranks.traces().get(0))
                .isNotSameAs(ranks.traces().get(2));
        assertThat(ranks.idShifts()).containsExactly(0, 1000, 0);
        assertThat(new TraceFiles(AstraCompat.NONE, FeederVersion.V3, true).read(prefix, 2, (count, of) -> {}))
                .doesNotHaveDuplicates();
    }

    @Test
    void readsFilesWithFewDifferencesLikeEachAlone() throws IOException {
        for (int rank = 0; rank < 4; rank++) {
            try (EtWriter writer = EtWriter.create(RankFiles.file(prefix, rank), EtMetadata.EMPTY)) {
                for (int i = 0; i < 3 + rank % 3; i++) {
                    long duration = i == 1 ? 10 + rank : 5;
                    writer.write(EtNode.of(i, "n" + i, NodeType.COMP_NODE)
                            .withDataDeps(deps(0, i))
                            .withDuration(duration));
                }
            }
        }
        for (AstraCompat compat : List.of(AstraCompat.NONE, AstraCompat.ASTRA)) {
            List<RankTrace> together = new TraceFiles(compat).read(prefix, 4, (count, of) -> {});
            for (int rank = 0; rank < 4; rank++) {
                Path alone = files.getPath("/" + compat + rank);
                Files.copy(RankFiles.file(prefix, rank), RankFiles.file(alone, 0));
                RankTrace expected =
                        new TraceFiles(compat).read(alone, 1, (count, of) -> {}).get(0);
                assertThat(together.get(rank).hasSameWork(expected)).isTrue();
                assertThat(together.get(rank).durationMicros[1]).isEqualTo(10 + rank);
            }
        }
    }

    @Test
    void sharesTracesWithShiftedIdsAfterDifferentTracesWithEqualIds() throws IOException {
        write(0, 1);
        write(1, 3);
        write(2, 1);
        try (EtWriter writer = EtWriter.create(RankFiles.file(prefix, 3), EtMetadata.EMPTY)) {
            for (int i = 0; i < 3; i++) {
                writer.write(EtNode.of(7 + i, "n" + i, NodeType.COMP_NODE).withDataDeps(deps(7, i)));
            }
        }
        write(4, 1);
        TraceFiles reader = new TraceFiles(AstraCompat.NONE);
        TraceFiles.Ranks ranks = reader.readRanks(RankFiles.of(prefix), 5, (count, of) -> {});
        List<RankTrace> traces = ranks.traces();
        assertThat(traces.get(3)).isSameAs(traces.get(1)).isNotSameAs(traces.get(0));
        assertThat(List.of(traces.get(2), traces.get(4))).allMatch(trace -> trace == traces.get(0));
        assertThat(ranks.idShifts()).containsExactly(0, 0, 0, 7, 0);
        assertThat(reader.distinct()).isEqualTo(2);
    }

    private static long[] deps(long first, int node) {
        return node == 0 ? new long[0] : new long[] {first + node - 1};
    }

    @Test
    void reportsMissingTraces() throws IOException {
        write(1, 1);
        assertThatThrownBy(() -> new TraceFiles(AstraCompat.NONE).read(prefix, 2, (count, of) -> {}))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("/t.0.et")
                .hasMessageContaining("every NPU");
        assertThatThrownBy(() -> new TraceFiles(AstraCompat.NONE).read(prefix, 9, (count, of) -> {}))
                .hasMessageContaining("8 of 9 traces are missing");
        write(0, 1);
        assertThatThrownBy(() -> new TraceFiles(AstraCompat.NONE).read(prefix, 9, (count, of) -> {}))
                .hasMessageContaining("traces for 2 NPUs, but the network has 9");
    }

    @Test
    void acceptsOldSuffixAndExplainsPrefix() throws IOException {
        try (LegacyWriter writer = new LegacyWriter(Files.newOutputStream(files.getPath("/t.0.eg")))) {
            writer.write(LegacyNode.of(1, "work", LegacyNodeType.COMP_NODE).with(LegacyField.SIMULATED_RUN_TIME, 5));
            writer.write(LegacyNode.of(2, "more", LegacyNodeType.COMP_NODE).withParents(1));
        }
        for (AstraCompat compat : List.of(AstraCompat.NONE, AstraCompat.ASTRA_2023)) {
            RankTrace trace =
                    new TraceFiles(compat).read(prefix, 1, (count, of) -> {}).get(0);
            assertThat(trace.size()).isEqualTo(2);
            assertThat(trace.type(1)).isEqualTo(RankTrace.Type.COMPUTE);
        }
        assertThatThrownBy(() -> new TraceFiles(AstraCompat.NONE).read(files.getPath("/t.0.eg"), 1, (count, of) -> {}))
                .hasMessageContaining("this is a file")
                .hasMessageContaining("here the prefix is /t");
    }

    @Test
    void acceptsTruncatedTraceOnlyInReferenceMode() throws IOException {
        write(0, 2);
        Path file = RankFiles.file(prefix, 0);
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length - 1));
        assertThatThrownBy(() -> new TraceFiles(AstraCompat.NONE).read(prefix, 1, (count, of) -> {}))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("/t.0.et");
        assertThat(new TraceFiles(AstraCompat.ASTRA).read(prefix, 1, (count, of) -> {}))
                .hasSize(1);
    }

    private void write(int rank, int nodes) throws IOException {
        try (EtWriter writer = EtWriter.create(RankFiles.file(prefix, rank), EtMetadata.EMPTY)) {
            for (int i = 0; i < nodes; i++) {
                writer.write(EtNode.of(i, "n" + i, NodeType.COMP_NODE).withDataDeps(deps(0, i)));
            }
        }
    }
}
