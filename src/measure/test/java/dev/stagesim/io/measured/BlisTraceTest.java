package dev.stagesim.io.measured;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.io.measured.formats.ResultFormats;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class BlisTraceTest {
    @TempDir
    Path scratch;

    private List<Requests.Request> roundTrip(boolean measured) throws IOException {
        BlisTrace.write(scratch, measured, "org/m", scratch);
        return ResultFormats.read(scratch.resolve("trace.csv"), Optional.empty(), ReadOptions.NONE)
                .requests()
                .all();
    }

    @Test
    void readsAWrittenTrace() throws IOException {
        Files.writeString(
                scratch.resolve("request_metrics.csv"),
                """
                request_id,arrival_time_ns,first_token_time_ns,ttft_ns,completion_time_ns,num_prefill_tokens,num_decode_tokens,num_decode_tokens_actual,status
                0,0,2000000,2000000,9000000,10,4,4,completed
                1,3000000,,,,12,5,0,failed
                """);
        List<Requests.Request> all = roundTrip(true);
        assertThat(all).hasSize(2);
        assertThat(all.get(0).first()).isEqualTo(2_000_000);
        assertThat(all.get(0).completion()).isEqualTo(9_000_000);
        assertThat(all.get(0).actual()).isEqualTo(4);
        assertThat(all.get(1).arrival()).isEqualTo(3_000_000);
        assertThat(all.get(1).completed()).isFalse();
        assertThat(Files.readString(scratch.resolve("trace.yaml"))).contains("trace_version: 2\n", "mode: real\n");
        assertThat(Files.readAllLines(scratch.resolve("trace.csv")))
                .allSatisfy(line -> assertThat(line.split(",", -1)).hasSize(27));
    }

    @Test
    void readsAWorkloadAsATraceWithoutTimes() throws IOException {
        Files.writeString(
                scratch.resolve("trace_lengths.csv"),
                "request_id,prompt_id,num_prefill_tokens,num_decode_tokens\n0,p,10,4\n1,p,7,3\n");
        Files.writeString(
                scratch.resolve("trace_intervals.csv"),
                "request_id,inter_arrival_ns,arrival_time_ns\n0,0,0\n1,2500000,2500000\n");
        BlisTrace.write(scratch, false, "", scratch);
        assertThat(Files.readAllLines(scratch.resolve("trace.csv")).get(2))
                .startsWith("1,,,,,0,,0,true,7,3,7,")
                .contains(",2500,2500,0,0,0,ok,");
        assertThat(Files.readString(scratch.resolve("trace.yaml"))).contains("mode: generated\n");
    }
}
