package dev.stagesim.pipeline.store;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunStoreTest {
    @TempDir
    Path root;

    @Test
    void startsNoRunDuringAShutdown() throws Exception {
        RunStore store = new RunStore(root);
        store.newPartial("workload", "workload-1");
        store.abandon();
        Thread late = new Thread(() -> {
            try {
                store.newPartial("workload", "workload-2");
            } catch (Exception e) {
                throw new IllegalStateException(e);
            }
        });
        late.setDaemon(true);
        late.start();
        late.join(200);
        assertThat(late.isAlive()).isTrue();
        assertThat(root.resolve("workload")).isEmptyDirectory();
    }

    @Test
    void removesOtherRunsWhenOneFinishesFirst() throws Exception {
        RunStore store = new RunStore(root);
        for (String run : List.of("a", "b", "c")) {
            Files.writeString(store.newPartial("workload", run).resolve("part.csv"), "x");
        }
        RunStore.delete(root.resolve("workload/.b.partial"));
        store.abandon();
        assertThat(root.resolve("workload")).isEmptyDirectory();
    }

    @Test
    void leavesExactlyOneRunAtEachMomentOfTermination() throws Exception {
        for (int moment = 0; moment < 40; moment++) {
            Path stage = root.resolve("workload" + moment);
            RunStore store = new RunStore(root);
            files(Files.createDirectories(stage.resolve("r")), "old");
            files(store.newPartial(stage.getFileName().toString(), "r"), "new");
            Thread worker = new Thread(() -> {
                try {
                    store.commit(stage.getFileName().toString(), "r");
                } catch (IOException e) {
                    throw new UncheckedIOException(e);
                }
            });
            worker.setDaemon(true);
            worker.start();
            LockSupport.parkNanos(moment * 100_000L);
            store.abandon();
            assertThat(stage).isDirectoryContaining("glob:**/r");
            try (Stream<Path> all = Files.list(stage)) {
                assertThat(all).as("moment " + moment).hasSize(1);
            }
            assertThat(stage.resolve("r/9.csv")).content().isIn("old", "new");
        }
    }

    private static void files(Path dir, String text) throws IOException {
        for (int i = 0; i < 10; i++) {
            Files.writeString(dir.resolve(i + ".csv"), text);
        }
    }
}
