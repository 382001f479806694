package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.stagesim.contract.Tables;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.sim.serving.metrics.BatchWindow;
import dev.stagesim.sim.serving.replica.RequestStates;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows are written in a second thread, in order, and its failure is the failure of the run. */
final class RequestWriterTest {
    private static final int REQUESTS = 5000;

    @TempDir
    private Path dir;

    private ServingInput input() throws IOException {
        Files.writeString(
                dir.resolve(Tables.TRACE_LENGTHS.name()),
                "request_id,prompt_id,num_prefill_tokens,num_decode_tokens\n"
                        + IntStream.range(0, REQUESTS)
                                .mapToObj(i -> i + ",p,10,20\n")
                                .collect(Collectors.joining()));
        Files.writeString(
                dir.resolve(Tables.TRACE_INTERVALS.name()),
                "request_id,inter_arrival_ns,arrival_time_ns\n"
                        + IntStream.range(0, REQUESTS)
                                .mapToObj(i -> i + ",0,0\n")
                                .collect(Collectors.joining()));
        return ServingInput.read(dir);
    }

    @Test
    void writesAllRowsInOrder() throws IOException {
        ServingInput input = input();
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
        ServingInput input = input();
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
