package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.contract.Tables;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.serving.tables.RequestTables;
import dev.stagesim.sim.serving.metrics.BatchWindow;
import dev.stagesim.sim.serving.replica.RequestStates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows are written in a second thread, in order, and its failure is the failure of the run. */
final class RequestWriterTest {
    private static final int REQUESTS = 5000;

    @TempDir
    private Path dir;

    /** Writes and reads a workload of requests that arrive at time 0 and have 10 prompt tokens. */
    static ServingInput input(Path dir, int requests, int outputTokens) throws IOException {
        RequestTables.lengths(dir, requests, request -> "p", request -> 10, request -> outputTokens);
        RequestTables.intervals(dir, requests, request -> 0);
        return ServingInput.read(dir);
    }

    @Test
    void writesAllRowsInOrder() throws IOException {
        ServingInput input = input(dir, REQUESTS, 20);
        RequestStates states = new RequestStates(input.trace());
        try (RequestWriter writer = new RequestWriter(dir, input, false, BatchWindow.all())) {
            writer.requestsSettled(1000, states);
            writer.requestsSettled(1024, states);
            writer.finish(states);
        }
        assertThat(Files.readAllLines(dir.resolve(Tables.REQUEST_METRICS.name())).stream()
                        .skip(1)
                        .map(row -> row.substring(0, row.indexOf(','))))
                .containsExactlyElementsOf(
                        IntStream.range(0, REQUESTS).mapToObj(Integer::toString).toList());
    }

    @Test
    void reportsThatTheDiskIsFull() throws IOException {
        Path full = Path.of("/dev/full");
        assumeTrue(Files.isWritable(full));
        ServingInput input = input(dir, REQUESTS, 20);
        RequestStates states = new RequestStates(input.trace());
        Files.createSymbolicLink(dir.resolve(Tables.REQUEST_METRICS.name()), full);
        assertThatThrownBy(() -> {
                    try (RequestWriter writer = new RequestWriter(dir, input, false, BatchWindow.all())) {
                        writer.requestsSettled(REQUESTS - 1, states);
                        writer.finish(states);
                    }
                })
                .isInstanceOf(IOException.class)
                .hasMessageContaining("No space left on device");
    }
}
