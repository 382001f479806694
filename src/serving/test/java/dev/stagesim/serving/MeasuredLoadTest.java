package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.StageException;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.workload.ClosedLoop;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class MeasuredLoadTest {
    private final List<String> warnings = new ArrayList<>();
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
    void simulatesAMeasuredClosedLoopInItsOrder() throws IOException {
        measurement("{'workload':{'closed_loop':8}}");
        assertThat(MeasuredLoad.closedLoop(run)).contains(8);
        Files.writeString(
                run.resolve("trace_lengths.csv"),
                "request_id,prompt_id,num_prefill_tokens,num_decode_tokens\n0,a,10,3\n1,b,20,4\n");
        Files.writeString(
                run.resolve("trace_intervals.csv"), "request_id,inter_arrival_ns,arrival_time_ns\n0,0,0\n1,500,500\n");
        ServingInput loop = ServingInput.read(run);
        assertThat(loop.trace().closedLoop()).contains(new ClosedLoop(8, 0, 0));
        assertThat(loop.arrivalNs(1)).isZero();
        assertThat(loop.trace().prefillTokens(1)).isEqualTo(20);
        assertThat(MeasuredLoad.arrivals(run, Optional.empty())).contains("closed loop, 8 in flight, as measured");
        measurement("{'workload':{'requests':8}}");
        assertThat(ServingInput.read(run).arrivalNs(1)).isEqualTo(500);
    }

    @Test
    void spreadsOutputsThatVaried() throws IOException {
        measurement("{'workload':{'requests':100,'prompt_tokens':9,'output_tokens':199.5,'closed_loop':4}}");
        RequestTrace trace = ServingInput.orMean(run, warnings::add).trace();
        int[] outputs = IntStream.range(0, 100).map(trace::decodeTokens).toArray();
        assertThat(outputs).doesNotHaveDuplicates().contains(101, 299);
        assertThat(IntStream.of(outputs).average()).hasValueCloseTo(200.0, within(0.5));
        assertThat(warnings).singleElement().asString().contains("50 to 150 % of the mean");
    }

    @Test
    void returnsRequestsWithTheMeanLengths() throws IOException {
        measurement("{'workload':{'requests':8,'prompt_tokens':99.6,'output_tokens':20},"
                + "'settings':{'request_rate':'inf','max_concurrency':4}}");
        ServingInput input = ServingInput.orMean(run, warnings::add);
        assertThat(input.trace().size()).isEqualTo(8);
        assertThat(input.longest()).isEqualTo(120);
        assertThat(input.trace().closedLoop()).contains(new ClosedLoop(4, 0, 0));
        assertThat(input.arrivalNs(7)).isZero();
        assertThat(warnings).singleElement().asString().contains("8 requests", "100 and 20 tokens", "4 in flight");
        measurement("{'workload':{'requests':1000,'prompt_tokens':9,'output_tokens':2},'settings':{'request_rate':5}}");
        assertThat(ServingInput.orMean(run, warnings::add).arrivalNs(999)).isEqualTo(199_800_000_000L);
        measurement("{'workload':{'requests':8}}");
        assertThatThrownBy(() -> ServingInput.orMean(run, warnings::add))
                .hasMessageContaining("aggregates only, without mean output length, mean prompt length,"
                        + " request rate or number of clients");
    }

    @Test
    void prefersTheNormalisedClientsAndRate() throws IOException {
        measurement("{'workload':{'requests':8,'prompt_tokens':9,'output_tokens':2,'closed_loop':3,'request_rate':2},"
                + "'settings':{'max_concurrency':5,'request_rate':'inf'}}");
        ServingInput input = ServingInput.orMean(run, warnings::add);
        assertThat(input.trace().closedLoop()).contains(new ClosedLoop(3, 0, 0));
        assertThat(input.arrivalNs(7)).isEqualTo(3_500_000_000L);
    }

    @ParameterizedTest
    @CsvSource(
            quoteCharacter = '"',
            value = {
                "'requests':8, 'requests':3000000000",
                "'requests':8, 'requests':0",
                "'prompt_tokens':9, 'prompt_tokens':4e9",
                "'prompt_tokens':9, 'prompt_tokens':-1",
                "'max_concurrency':4, 'max_concurrency':0.5",
                "'max_concurrency':4, 'max_concurrency':3000000000"
            })
    void locatesImpossibleCounts(String value, String replacement) throws IOException {
        measurement("{'workload':{'requests':8,'prompt_tokens':9,'output_tokens':2},'settings':{'max_concurrency':4}}"
                .replace(value, replacement));
        assertThatThrownBy(() -> ServingInput.orMean(run, warnings::add))
                .isInstanceOf(StageException.class)
                .hasMessageContainingAll("measurement.json#/", replacement.split("'", -1)[1], "expected");
    }
}
