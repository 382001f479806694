package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.card.Precision;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

final class DeploymentSearchTest {
    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/workload");

    /** The pruned search finds the same minimum number of devices as simulating every deployment. */
    @ParameterizedTest
    @CsvSource(
            delimiter = ';',
            value = {
                "40; ttft_p99_ms<200,tpot_p99_ms<12",
                "60; ttft_p99_ms<300,tpot_p99_ms<20",
                "90; ttft_p99_ms<1000",
                "30; tpot_p99_ms<9"
            })
    void matchesTheExhaustiveSearch(double load, String slo) throws IOException {
        PlanSettings.Search grid = Plans.search(
                List.of(1, 2, 4), List.of(Precision.BF16, Precision.FP8), List.of(64, 256), List.of(512, 4096));
        PlanSettings settings = Plans.settings("llama3_8b", "h100", load, slo, grid, "vllm_v1");
        RequestSamples requests = Plans.read(dir);
        Slo bounds = Slo.parse(slo);
        List<List<DeploymentCandidate>> shapes = new Estimator(settings, requests, bounds).all();
        SimulationCache simulations = new SimulationCache(requests, bounds);
        List<DeploymentCandidate> ranked = new DeploymentSearch(settings, bounds, simulations, done -> {}).run(shapes);
        int min = Integer.MAX_VALUE;
        SimulationCache all = new SimulationCache(requests, bounds);
        for (List<DeploymentCandidate> shape : shapes) {
            for (DeploymentCandidate candidate : shape) {
                int devices = candidate.deployment().shape().devices();
                for (int replicas = 1; replicas * devices < Math.min(min, 17); replicas++) {
                    if (all.of(candidate.replica().orElseThrow(), candidate.deployment(), replicas, load)
                            .meetsSlo()) {
                        min = replicas * devices;
                    }
                }
            }
        }
        assertThat(DeploymentSearch.winner(ranked).orElseThrow().devices()).isEqualTo(min);
        assertThat(simulations.count()).isLessThan(all.count() + 40);
    }
}
