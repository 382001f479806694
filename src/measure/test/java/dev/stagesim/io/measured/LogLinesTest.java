package dev.stagesim.io.measured;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LogLinesTest {
    private static final List<String> LOG = List.of(
            "# nThread 1 nGpus 1",
            "#  Rank  0 Group  0 Pid 200 on node-a",
            "node-a:200:310 [0] NCCL INFO Bootstrap",
            "",
            "  1048576  262144 float sum -1 40.5",
            "# Out of bounds values : 0 OK");

    @ParameterizedTest
    @ValueSource(
            strings = {
                "[1,0]<stdout>:",
                "[1,0]<stdout>: ",
                "[prterun-host-7@1,0]<stdout>: ",
                "0: ",
                " 12: ",
                "node01: ",
                "gpu-07.cluster.local: ",
                "[0] ",
                "[default0]:",
                "[pod/nccl-0/main] ",
                "nccl-launcher-x7 main ",
                "2026-11-28T10:00:00.123456789Z ",
                "(RayWorker pid=71, ip=10.0.0.7) ",
                "nccl-1  | ",
                "2026-11-28T10:00:00.1Z [1,0]<stdout>:"
            })
    void ignoresPrefixesOfEveryLine(String prefix) {
        assertThat(LogLines.withoutPrefixes(
                        LOG.stream().map(line -> prefix + line).toList()))
                .extracting(String::strip)
                .isEqualTo(LOG.stream().map(String::strip).toList());
    }

    @Test
    void ignoresTerminalColours() throws IOException {
        Path file = Jimfs.newFileSystem(Configuration.unix()).getPath("/pod.log");
        Files.write(
                file,
                LOG.stream().map(line -> "\u001B[32mnccl-0\u001B[0m " + line).toList());
        assertThat(LogLines.read(file))
                .extracting(String::strip)
                .isEqualTo(LOG.stream().map(String::strip).toList());
    }

    @Test
    void ignoresDifferentPrefixes() {
        List<String> lines = IntStream.range(0, LOG.size())
                .mapToObj(i -> (i % 2 == 0 ? "node01: " : "node02: ") + LOG.get(i))
                .toList();
        assertThat(LogLines.withoutPrefixes(lines)).isEqualTo(LOG);
    }

    @Test
    void keepsLinesWithoutPrefixes() {
        assertThat(LogLines.withoutPrefixes(LOG)).isEqualTo(LOG);
        List<String> summary = List.of("SUT name : x", "Scenario : Server", "Completed tokens per second: 15.50");
        assertThat(LogLines.withoutPrefixes(summary)).isEqualTo(summary);
    }
}
