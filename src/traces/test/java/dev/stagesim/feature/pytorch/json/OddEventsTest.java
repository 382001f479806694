package dev.stagesim.feature.pytorch.json;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;

class OddEventsTest {
    private final Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/k.json");

    private long events(String odd) throws IOException {
        String plain =
                "{\"ph\":\"X\",\"cat\":\"kernel\",\"name\":\"k\",\"ts\":1,\"dur\":2,\"tid\":7,\"args\":{\"stream\":7}}";
        Files.writeString(file, "{\"traceEvents\":[" + odd + "," + plain + "]}");
        return DeviceTraceReader.read(file).size();
    }

    /** A list or an object in place of a plain value is skipped, and the next event is read. */
    @Test
    void skipsValuesOfUnexpectedShape() throws IOException {
        for (String value : List.of("[1,{\"a\":[2]}]", "{\"a\":{\"b\":1}}", "[]", "null", "\"x\"", "1", "true")) {
            for (String member : List.of("args", "name", "tid", "cat", "ph", "id")) {
                String rest = Stream.of("\"cat\":\"kernel\"", "\"name\":\"n\"", "\"ts\":1", "\"dur\":1")
                        .filter(each -> !each.startsWith("\"" + member))
                        .collect(Collectors.joining(","));
                String odd = "{" + rest + ",\"" + member + "\":" + value + "}";
                assertThat(events(odd)).as(odd).isBetween(1L, 2L);
            }
            for (String argument : List.of(
                    "External id", "stream", "Process Group Ranks", "Process Group Name", "dtype", "cuda_sync_kind")) {
                String odd = "{\"cat\":\"kernel\",\"name\":\"n\",\"ts\":1,\"dur\":1,\"args\":{\"" + argument + "\":"
                        + value + ",\"device\":0}}";
                assertThat(events(odd)).as(odd).isEqualTo(2);
            }
        }
    }

    @Test
    void rejectsRanksAboveTheMaximum() throws IOException {
        for (String ranks : List.of("\"[0, 99999999999999999999]\"", "[4294967296, 1]", "\"[\u0661]\"")) {
            String odd = "{\"cat\":\"kernel\",\"name\":\"n\",\"ts\":1,\"dur\":1,\"args\":{\"Process Group Name\":\"g\","
                    + "\"Process Group Ranks\":" + ranks + "}}";
            assertThat(events(odd)).isEqualTo(2);
        }
    }
}
