package dev.stagesim.serving;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.StageException;
import dev.stagesim.serving.workload.LengthSettings;
import dev.stagesim.serving.workload.LogNormalTokens;
import dev.stagesim.serving.workload.SharingSettings;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.sim.serving.request.Tokens;
import dev.stagesim.sim.workload.SharedTokens;
import dev.stagesim.stage.RunInput;
import dev.stagesim.workload.ArrivalSettings;
import java.io.IOException;
import java.nio.file.FileSystem;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

class ServingInputTest {
    private final FileSystem files = Jimfs.newFileSystem(Configuration.unix());
    private final Path run = files.getPath("/run");

    @BeforeEach
    void make() throws IOException {
        Files.createDirectories(run);
        Files.writeString(
                run.resolve("trace_lengths.csv"),
                "request_id,prompt_id,num_prefill_tokens,num_decode_tokens\n0,a,10,5\n3,b,20,5\n4,c,8,1\n");
        Files.writeString(
                run.resolve("trace_intervals.csv"),
                "request_id,inter_arrival_ns,arrival_time_ns\n0,0,0\n3,1,1\n4,1,2\n");
    }

    @AfterEach
    void close() throws IOException {
        files.close();
    }

    private void tokens(String rows) throws IOException {
        Files.writeString(run.resolve("trace_tokens.csv"), "request_id,first_token,num_tokens\n" + rows);
    }

    @Test
    void startsPromptsWithTheirSharedPrefix() throws IOException {
        tokens("3,70,10\n3," + SharedTokens.outputOf(0) + ",5\n4,70,8\n");

        ServingInput input = ServingInput.read(run);

        Tokens middle = input.trace().tokens(1);
        assertThat(middle.at(0)).isEqualTo(70);
        assertThat(middle.at(9)).isEqualTo(79);
        assertThat(middle.at(10)).isEqualTo(input.trace().tokens(0).at(10)).isEqualTo(SharedTokens.outputOf(0));
        assertThat(middle.at(15)).isEqualTo(SharedTokens.promptOf(3));
        assertThat(middle.at(20)).isEqualTo(SharedTokens.outputOf(3));
        assertThat(input.trace().tokens(2).at(7)).isEqualTo(77);
        assertThat(input.trace().tokens(2).at(8)).isEqualTo(SharedTokens.outputOf(4));
    }

    @Test
    void statesLengthsOfAPresetOnly() throws IOException {
        ServingInput input = ServingInput.read(run);
        ServingWorkload fixed = KeyRecord.defaults(ServingWorkload.class);
        LogNormalTokens tokens = new LogNormalTokens(70, 1, 4, 100);
        ServingWorkload preset = KeyRecord.with(
                ServingWorkload.class,
                fixed,
                Map.of("lengths", new LengthSettings.LogNormal(tokens, tokens, Optional.empty())));
        boolean drawn = ServingInput.isDrawn(preset, new RunInput(run, "workload-1", "workload", "0"));
        boolean measured = ServingInput.isDrawn(preset, new RunInput(run, "real_bench-1", "real_bench", "0"));
        assertThat(input.presetLengths(fixed, drawn, key -> false)).isEmpty();
        assertThat(input.presetLengths(preset, drawn, key -> false)).hasValueSatisfying(text -> assertThat(text)
                .contains("prompts P50 10, outputs P50 5 tokens")
                .contains("set prompt_tokens="));
        assertThat(input.presetLengths(preset, measured, key -> false)).isEmpty();
        assertThat(input.loadNotes(preset, new ArrivalSettings.Poisson(1), drawn, key -> false)
                        .get(0))
                .contains("prompts P50 10", "arrivals: 1 request/s, the default; set rate=");
        assertThat(input.loadNotes(fixed, new ArrivalSettings.Poisson(1), drawn, key -> false)
                        .get(0))
                .startsWith("arrivals: 1 request/s");
        assertThat(input.loadNotes(fixed, new ArrivalSettings.Gamma(1, 2), drawn, key -> false)
                        .get(0))
                .startsWith("arrivals: 1 request/s, the default");
        assertThat(input.loadNotes(fixed, new ArrivalSettings.Poisson(1, true), drawn, "arrival.qps"::equals))
                .isEmpty();
        assertThat(input.presetLengths(preset, drawn, "workload.lengths"::equals))
                .isEmpty();
        assertThat(input.loadNotes(fixed, new ArrivalSettings.Gamma(2, 0.5), drawn, key -> false))
                .containsExactly(
                        "arrivals: the 3 drawn arrivals have a mean rate of 1,000,000,000 instead of 2 requests/s; set"
                                + " arrival.exact_rate=true for the exact rate, or requests=900 for at most 5 % of difference");
        assertThat(input.loadNotes(preset, new ArrivalSettings.Poisson(1), measured, key -> false))
                .isEmpty();
        ServingWorkload sessions =
                KeyRecord.with(ServingWorkload.class, fixed, Map.of("sharing", new SharingSettings.Sessions(4, 5, 0)));
        assertThat(input.loadNotes(sessions, new ArrivalSettings.Poisson(4e9), drawn, "arrival.qps"::equals))
                .containsExactly(
                        "arrivals: the 3 drawn arrivals have a mean rate of 1,000,000,000 instead of 4000000000"
                                + " requests/s, because fewer sessions overlap at the start and at the end of a run; more"
                                + " requests= reduce the difference");
        ServingWorkload given = KeyRecord.with(ServingWorkload.class, preset, Map.of("dir", Optional.of(run)));
        assertThat(ServingInput.isDrawn(given, new RunInput(run, "workload-1", "workload", "0")))
                .isFalse();
    }

    @Test
    void keepsArrivalTimesToTheNanosecond() throws IOException {
        long[] times = {0, 1, 999_999_999, 86_400_000_000_001L, (1L << 51) - 1, 4_000_000_000_000_000_001L};
        for (int count = 3; count <= times.length; count++) {
            StringBuilder lengths = new StringBuilder("request_id,prompt_id,num_prefill_tokens,num_decode_tokens\n");
            StringBuilder intervals = new StringBuilder("request_id,inter_arrival_ns,arrival_time_ns\n");
            for (int i = 0; i < count; i++) {
                lengths.append(i).append(",p,3,4\n");
                long before = i == 0 ? 0 : times[i - 1];
                intervals.append(i + "," + (times[i] - before) + "," + times[i] + "\n");
            }
            Files.writeString(run.resolve("trace_lengths.csv"), lengths);
            Files.writeString(run.resolve("trace_intervals.csv"), intervals);

            ServingInput input = ServingInput.read(run);

            for (int i = 0; i < count; i++) {
                assertThat(input.arrivalNs(i)).isEqualTo(times[i]);
                assertThat(input.id(i)).isEqualTo(i);
            }
        }
    }

    @Test
    void rejectsLengthsBeyondInt() throws IOException {
        Files.writeString(
                run.resolve("trace_lengths.csv"),
                "request_id,prompt_id,num_prefill_tokens,num_decode_tokens\n0,a,10,5\n3,b,2147483648,5\n");

        assertThatThrownBy(() -> ServingInput.read(run))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("trace_lengths.csv:3, column num_prefill_tokens")
                .hasMessageContaining("2147483648 exceeds the maximum of 2^31 - 1");
    }

    private void labels(String rows) throws IOException {
        Files.writeString(run.resolve("trace_labels.csv"), "request_id,adapter,priority\n" + rows);
    }

    @Test
    void readsAdaptersAndPriorities() throws IOException {
        assertThat(ServingInput.read(run).trace().hasLabels()).isFalse();
        labels("0,0,1\n3,7,0\n4,2,5\n");

        RequestTrace trace = ServingInput.read(run).trace();

        assertThat(trace.hasLabels()).isTrue();
        assertThat(trace.adapter(1)).isEqualTo(7);
        assertThat(trace.priority(2)).isEqualTo(5);
    }

    @Test
    void rejectsLabelsOfOtherRequests() throws IOException {
        labels("0,0,1\n4,2,5\n");
        assertThatThrownBy(() -> ServingInput.read(run))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("4");
        labels("0,0,1\n3,2,5\n");
        assertThatThrownBy(() -> ServingInput.read(run))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("2 requests, but the workload has 3");
    }

    @Test
    void sharesNothingWithoutTheTable() throws IOException {
        ServingInput input = ServingInput.read(run);
        assertThat(input.trace().tokens(0).at(0)).isEqualTo(SharedTokens.promptOf(0));
        assertThat(input.trace().tokens(1).at(0)).isEqualTo(SharedTokens.promptOf(3));
    }

    @Test
    void rejectsMoreTokensThanThePromptHasAndUnknownRequests() throws IOException {
        tokens("3,70,10\n3,90,11\n");
        assertThatThrownBy(() -> ServingInput.read(run))
                .isInstanceOf(StageException.class)
                .hasMessageContaining("trace_tokens.csv:3")
                .hasMessageContaining("request 3");
        tokens("2,70,1\n");
        assertThatThrownBy(() -> ServingInput.read(run)).hasMessageContaining("request 2");
        tokens("3,70,1\n0,70,1\n");
        assertThatThrownBy(() -> ServingInput.read(run)).hasMessageContaining("request 0");
    }
}
