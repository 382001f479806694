package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;

class MeasuredLoadTest {
    private final Path run = Jimfs.newFileSystem(Configuration.unix()).getPath("/run");

    private void measurement(String json) throws IOException {
        Files.createDirectories(run);
        Files.writeString(run.resolve("measurement.json"), json.replace('\'', '"'));
    }

    private List<String> differences() throws IOException {
        return MeasuredLoad.cacheDifferences(run, 16, 1000, "num_gpu_blocks_override");
    }

    @Test
    void returnsNothingForARunWithoutAMeasurement() throws IOException {
        assertThat(differences()).isEmpty();
        assertThat(MeasuredLoad.notModelled(run)).isEmpty();
    }

    @Test
    void suggestsTheOverrideForTheCacheOfTheServer() throws IOException {
        measurement("{'settings':{'block_size':'128','num_gpu_blocks':'None'},'engine':{'num_gpu_blocks':512}}");
        assertThat(differences())
                .hasSize(2)
                .anyMatch(text -> text.endsWith("scheduler.block_size=128"))
                .anyMatch(text -> text.endsWith("scheduler.num_gpu_blocks_override=512"));
        measurement("{'settings':{'block_size':16,'num_gpu_blocks':'1000'}}");
        assertThat(differences()).isEmpty();
    }

    @Test
    void warnsOfAClosedLoop() throws IOException {
        measurement("{'workload':{'closed_loop':8}}");
        assertThat(MeasuredLoad.closedLoop(run)).contains(8);
        assertThat(MeasuredLoad.notModelled(run)).singleElement().asString().contains("closed loop of 8");
        measurement("{'workload':{'requests':8}}");
        assertThat(MeasuredLoad.notModelled(run)).isEmpty();
    }
}
