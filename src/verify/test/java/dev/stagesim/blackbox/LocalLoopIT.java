package dev.stagesim.blackbox;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Profiles, simulates, measures and compares on this machine. */
@Tag("acceptance")
class LocalLoopIT {
    /** A minimal run of all stages. Ten requests are too few to check accuracy. */
    private static final List<String> SMALL = List.of(
            "model=tiny",
            "hardware=local",
            "workload.num_requests=6",
            "workload.lengths.prefill.max=24",
            "workload.lengths.decode.min=2",
            "workload.lengths.decode.max=6",
            "model.num_layers=2",
            "engine.warm_up=0",
            "engine.clock=processor",
            "profile.repeats=1",
            "profile.grid.chunks=[1,32,128]",
            "profile.grid.kv_tokens=[0,32]",
            "profile.grid.batch_sizes=[1,4,16]");

    @TempDir
    Path scratch;

    private StageProcess.Result run(String stage, String... more) {
        List<String> arguments = new ArrayList<>(List.of(stage));
        arguments.addAll(SMALL);
        arguments.addAll(List.of(more));
        return new StageProcess(scratch).run(arguments.toArray(String[]::new));
    }

    @Test
    void runsAllStagesWithoutAGpu() throws IOException {
        StageProcess.Result run = run("compare");
        assertThat(run.exit()).as(run.err()).isZero();
        Path dir = scratch.resolve(run.line());
        assertThat(Files.readString(dir.resolve("summary.md"))).contains("Noise floor", "TTFT", "P95", "real again");
        assertThat(run.err()).contains("ttft_p95_error_percent", "tpot_p95_noise_percent");
        try (var runs = Files.list(scratch.resolve("tmp/real_bench"))) {
            assertThat(runs.filter(file -> file.getFileName().toString().startsWith("real_bench-")))
                    .as("the first measurement and its repetition")
                    .hasSize(2);
        }
        StageProcess.Result planned = run("compare", "--dry-run");
        assertThat(planned.exit()).as(planned.err()).isZero();
        assertThat(planned.err() + planned.out()).contains("noise");
    }

    @Test
    void suggestsHowToScaleDownALargeModel() {
        StageProcess.Result run = new StageProcess(scratch).run("compare", "model=llama3_8b", "hardware=local");
        assertThat(run.exit()).isEqualTo(2);
        assertThat(run.err()).contains("million weights", "model.hidden_size=256");
        assertThat(scratch.resolve("tmp/real_bench")).doesNotExist();
    }
}
