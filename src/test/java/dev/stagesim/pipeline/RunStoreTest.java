package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class RunStoreTest {
    @TempDir
    Path root;

    @Test
    void nothingBeginsOnceTheProcessEnds() throws Exception {
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
    void aRunThatFinishedMeanwhileDoesNotKeepTheOthers() throws Exception {
        RunStore store = new RunStore(root);
        for (String run : List.of("a", "b", "c")) {
            Files.writeString(store.newPartial("workload", run).resolve("part.csv"), "x");
        }
        RunStore.delete(root.resolve("workload/.b.partial"));
        store.abandon();
        assertThat(root.resolve("workload")).isEmptyDirectory();
    }
}
