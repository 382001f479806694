package dev.stagesim.io.measured;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.contract.RequestStatus;
import dev.stagesim.model.StageException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

class RequestRowTest {
    private static final String HEAD = "request_id,arrival_time_ns,first_token_time_ns,ttft_ns,completion_time_ns,"
            + "num_prefill_tokens,num_decode_tokens,num_decode_tokens_actual,status";

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/");

    private Path file(String... lines) throws IOException {
        return Files.writeString(dir.resolve("request_metrics.csv"), String.join("\n", lines) + "\n");
    }

    @Test
    void reportsMissingValuesOfARow() throws IOException {
        Path file = file(HEAD + ",scheduling_delay_ns", "3,10,25,15,40,7,9,8,completed,4", "5,20,,,,7,9,0,failed,");
        assertThat(RequestRow.read(file))
                .containsExactly(
                        new RequestRow(3, 10, 25, 40, 7, 9, 8, RequestStatus.COMPLETED, 4),
                        new RequestRow(
                                5, 20, Requests.NONE, Requests.NONE, 7, 9, 0, RequestStatus.FAILED, Requests.NONE));
        Path bare = file(HEAD, "0,0,1,1,2,1,2,2,completed");
        assertThat(RequestRow.read(bare))
                .singleElement()
                .satisfies(row -> assertThat(row.schedulingDelay()).isEqualTo(Requests.NONE))
                .satisfies(row -> assertThat(row.completed()).isTrue());
    }

    @Test
    void rejectsARowThatViolatesTheSchema() throws IOException {
        Path file = file(HEAD, "0,0,1,1,2,1,2,2,done");
        assertThatThrownBy(() -> RequestRow.read(file))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("completed");
    }
}
