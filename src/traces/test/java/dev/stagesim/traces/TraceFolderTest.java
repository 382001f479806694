package dev.stagesim.traces;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.io.chakra.TraceRanks;
import dev.stagesim.io.chakra.TraceSet;
import dev.stagesim.model.trace.EtMetadata;
import dev.stagesim.model.trace.EtNode;
import dev.stagesim.model.trace.NodeType;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

final class TraceFolderTest {
    private static final int NPUS = 200;

    private final Path folder =
            Jimfs.newFileSystem(Configuration.unix()).getPath("/work").toAbsolutePath();

    private long files() {
        try (Stream<Path> all = Files.list(folder)) {
            return all.filter(file -> file.toString().endsWith(".et")).count();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static List<EtNode> trace(int kind) {
        return List.of(EtNode.of(kind, "node " + kind, NodeType.COMP_NODE));
    }

    /** Each thread keeps at most one trace, so that large traces fit in memory. */
    @Test
    void keepsNoTraceWhileOthersAreGenerated() throws IOException {
        AtomicInteger made = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();
        new TraceFolder(folder, "t", true).each(NPUS, EtMetadata.EMPTY, npu -> {
            made.incrementAndGet();
            most.accumulateAndGet(made.get() - (int) files(), Math::max);
            return trace(npu);
        });
        assertThat(files()).isEqualTo(NPUS);
        assertThat(most.get()).isLessThanOrEqualTo(ForkJoinPool.getCommonPoolParallelism() + 1);
    }

    @Test
    void namesTheFileOfTheFirstProcessorWithATrace() throws IOException {
        IntUnaryOperator kind = npu -> npu < 70 ? npu % 7 : 7 + npu % 9;
        long nodes =
                new TraceFolder(folder, "t", true).each(NPUS, EtMetadata.EMPTY, npu -> trace(kind.applyAsInt(npu)));
        assertThat(nodes).isEqualTo(NPUS);
        assertThat(files()).isEqualTo(16);
        TraceRanks ranks = TraceRanks.of(folder, "t.").orElseThrow();
        for (int npu = 0; npu < NPUS; npu++) {
            int first = 0;
            while (kind.applyAsInt(first) != kind.applyAsInt(npu)) {
                first++;
            }
            assertThat(ranks.get(npu)).isEqualTo(folder.resolve("t." + first + ".et"));
            assertThat(TraceSet.nodes(ranks.get(npu)).get(0).id()).isEqualTo(kind.applyAsInt(npu));
        }
    }
}
