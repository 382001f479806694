package dev.stagesim.io.csv;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.contract.Tables;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Streams a table of fifty million rows and measures the memory. */
@Tag("long")
final class LargeTableTest {
    private static final int REQUESTS = 100_000;
    private static final int TOKENS = 500;
    private static final long MAX_BYTES = 128L << 20;

    @TempDir
    private Path dir;

    @Test
    void streamsFiftyMillionRowsInLittleMemory() throws IOException {
        Path file = dir.resolve("token_metrics.csv");
        System.gc();
        long before = used();
        heap().forEach(MemoryPoolMXBean::resetPeakUsage);
        try (TableWriter out = TableWriter.create(file, Tables.TOKEN_METRICS, List.of())) {
            for (int request = 0; request < REQUESTS; request++) {
                for (int token = 0; token < TOKENS; token++) {
                    out.put(request)
                            .put(token)
                            .put(request + token * 10L)
                            .put(10)
                            .endRow();
                }
            }
            assertThat(out.rows()).isEqualTo(50_000_000);
        }
        long rows = 0;
        try (TableReader in = TableReader.open(file, Tables.TOKEN_METRICS)) {
            while (in.next()) {
                rows++;
            }
        }
        assertThat(rows).isEqualTo(50_000_000);
        long peak =
                heap().stream().mapToLong(pool -> pool.getPeakUsage().getUsed()).sum();
        assertThat(peak - before).isLessThan(MAX_BYTES);
    }

    private static long used() {
        return heap().stream().mapToLong(pool -> pool.getUsage().getUsed()).sum();
    }

    private static List<MemoryPoolMXBean> heap() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .toList();
    }
}
