package dev.stagesim.stage.vidursim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.stagesim.model.StageException;
import dev.stagesim.serving.config.SimulationSettings;
import dev.stagesim.sim.serving.spec.GlobalPolicy;
import dev.stagesim.sim.serving.spec.SchedulerSpec;
import dev.stagesim.workload.CompatMode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Every user error gives one message with the location, the cause and the necessary change. */
class BadInputTest {
    private SimRuns runs;

    @BeforeEach
    void make() throws IOException {
        runs = new SimRuns();
    }

    @AfterEach
    void close() throws IOException {
        runs.files.close();
    }

    private void rejected(String... parts) {
        assertThatThrownBy(() -> runs.run()).isInstanceOfSatisfying(StageException.class, e -> {
            assertThat(e.kind()).isEqualTo(StageException.Kind.INPUT);
            assertThat(e.problems()).hasSize(1);
            assertThat(e.getMessage()).contains(parts);
        });
    }

    @Test
    void rejectsTokenCountsOfZeroOrLess() throws IOException {
        runs.lengths(List.of("0,p,100,5", "1,p,0,5"));
        rejected("trace_lengths.csv", ":3", "num_prefill_tokens", "0");
        runs.lengths(List.of("0,p,100,-5"));
        rejected("trace_lengths.csv", ":2", "num_decode_tokens", "-5");
    }

    @Test
    void rejectsAPromptLargerThanTheKvCache() throws IOException {
        runs.requests(2, 1000, 5);
        runs.scheduler = new SchedulerSpec.Sarathi(128, 16, 0.01, Optional.of(50), 512);
        rejected("request 0 and 1 more", "does not fit the KV cache", "50 blocks of 16 tokens", "scheduler.num_blocks");
    }

    @Test
    void rejectsTimesThatDoNotCoverTheBatch() throws IOException {
        runs.requests(1, 4000, 500);
        runs.scheduler = new SchedulerSpec.Sarathi(128, 16, 0.01, Optional.empty(), 512);
        runs.compat = CompatMode.VIDUR; // otherwise computed times extend the tables
        rejected("4096", "predictor");
    }

    @Test
    void namesTheContextAndTheLimitForLongRequests() throws IOException {
        runs.scheduler = new SchedulerSpec.Sarathi(128, 16, 0.01, Optional.empty(), 512);
        for (int prompt : new int[] {5000, 40_900, 60_000}) {
            int output = 41_000 - Math.min(prompt, 40_960) + 1;
            runs.requests(1, prompt, output);
            rejected(
                    "longest request has " + (prompt + output) + " tokens",
                    "context of Qwen/Qwen3-0.6B, 40960 tokens",
                    "workload.max_tokens=40960");
        }
    }

    @Test
    void rejectsABundleOfAnotherModel() {
        runs.model = "llama3_8b";
        rejected(
                "/bundle/compute/a100_sxm_80gb",
                "'meta-llama/Meta-Llama-3-8B' is not in the bundle",
                "Qwen/Qwen3-0.6B");
    }

    @Test
    void rejectsABundleWithOtherDimensions() throws IOException {
        Path mlp = runs.bundle.resolve("compute/a100_sxm_80gb/Qwen/Qwen3-0.6B/mlp.csv");
        List<String> lines = Files.readAllLines(mlp);
        int column = List.of(lines.get(0).split(",")).indexOf("n_head");
        Files.write(
                mlp,
                Stream.concat(Stream.of(lines.get(0)), lines.stream().skip(1).map(line -> {
                            String[] cells = line.split(",", -1);
                            cells[column] = "12";
                            return String.join(",", cells);
                        }))
                        .toList());
        rejected("mlp.csv", "n_head", "12", "16");
    }

    @Test
    void rejectsABundleWithoutAnOperator() throws IOException {
        Path mlp = runs.bundle.resolve("compute/a100_sxm_80gb/Qwen/Qwen3-0.6B/mlp.csv");
        Files.writeString(mlp, Files.readString(mlp).replaceFirst("time_stats.mlp_up_proj.median", "other"));
        rejected("mlp.csv", "time_stats.mlp_up_proj.median");
    }

    @Test
    void rejectsArrivalsOutOfOrder() throws IOException {
        runs.lengths(List.of("0,p,10,5", "1,p,10,5"));
        runs.intervals(List.of("0,2000,2000", "1,-1000,1000"));
        rejected("trace_intervals.csv", ":3", "inter_arrival_ns", "-1000");
    }

    @Test
    void rejectsInvalidArrivals() throws IOException {
        runs.lengths(List.of("0,p,10,5"));
        runs.intervals(List.of("0,0,NaN"));
        rejected("trace_intervals.csv", ":2", "arrival_time_ns", "NaN");
    }

    @Test
    void rejectsARunThatNeverFinishes() throws IOException {
        runs.requests(2, 1000, 5);
        runs.scheduler = new SchedulerSpec.Vllm(128, 16, 0.01, Optional.empty(), 512);
        runs.compat = CompatMode.VIDUR;
        rejected("deadlock", "request 0 with 1000 prompt tokens", "scheduler.max_tokens_in_batch");
        runs.compat = CompatMode.NONE;
        rejected("longer than scheduler.max_tokens_in_batch", "would wait forever", "scheduler=sarathi");
    }

    @Test
    void rejectsShardsThatDoNotDivideTheModelBeforeTheRun() {
        runs.cluster = SimRuns.cluster(1, 3, 5, GlobalPolicy.ROUND_ROBIN, Optional.empty());
        assertThatThrownBy(() -> new VidurSimStage().check(runs.settings(), runs.workload))
                .isInstanceOfSatisfying(StageException.class, e -> assertThat(e.problems())
                        .extracting(problem -> problem.where())
                        .contains("cluster.tensor_parallel_size", "cluster.num_pipeline_stages"));
    }

    @Test
    void rejectsASeedThatIsNotUsed() {
        runs.cluster = SimRuns.cluster(2, 1, 1, GlobalPolicy.LOR, Optional.of(7L));
        rejected("cluster.seed", "has no effect", "cluster.global_scheduler=random");
    }

    @Test
    void acceptsASeedThatIsUsed() throws IOException {
        runs.cluster = SimRuns.cluster(2, 1, 1, GlobalPolicy.RANDOM, Optional.of(7L));
        assertThat(runs.run().headlines).containsKey("ttft_p50_ms");
    }

    @Test
    void rejectsUnusedHostTimes() {
        runs.overheads = new SimulationSettings.Overheads(
                Optional.of(0.1), Optional.of(0.1), 0.5, 0, Optional.empty(), Optional.of(false));
        rejected("simulation.overheads.nccl_cpu_launch_ms", "has no effect", "cluster.tensor_parallel_size=1");
        runs.model = "llama2_7b";
        runs.overheads = new SimulationSettings.Overheads(
                Optional.of(0.3), Optional.empty(), 0.02, 0, Optional.empty(), Optional.of(false));
        rejected("simulation.overheads.attention_decode_batching_fraction", "grouped-query", "Llama-2-7b");
    }

    @Test
    void rejectsUnusedMetricsOptions() {
        runs.metrics =
                new SimulationSettings.Metrics(Optional.empty(), Optional.empty(), false, false, Optional.of(10));
        rejected("simulation.metrics.series_points", "simulation.metrics.completion_series=true");
        runs.metrics = new SimulationSettings.Metrics(Optional.of(9L), Optional.of(3L), false, false, Optional.empty());
        rejected("simulation.metrics.min_batch_index", "the range is empty");
    }
}
