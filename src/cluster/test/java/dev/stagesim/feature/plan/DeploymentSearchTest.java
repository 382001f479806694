package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.Precision;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
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
                "30; tpot_p99_ms<9",
                "20; e2e_p99_ms<1000",
                "30; e2e_p50_ms<600,tpot_p99_ms<40"
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

    /** If predictions are wrong for every deployment on few devices, larger ones are simulated before the limit. */
    @Test
    void triesEverySizeBeforeTheLimit() throws IOException {
        PlanSettings.Search grid = KeyRecord.with(
                PlanSettings.Search.class,
                Plans.search(
                        List.of(1, 2, 4), List.of(Precision.BF16, Precision.FP8), List.of(64, 256), List.of(512, 4096)),
                Map.of("simulations", 12));
        PlanSettings settings = Plans.settings("llama3_8b", "h100", 10, "e2e_p99_ms<1", grid, "sglang", "vllm_v1");
        RequestSamples requests = Plans.read(dir);
        List<List<DeploymentCandidate>> optimistic =
                new Estimator(settings, requests, Slo.parse("e2e_p99_ms<1e6")).all();
        Slo slo = Slo.parse(settings.slo());
        DeploymentSearch search = new DeploymentSearch(settings, slo, new SimulationCache(requests, slo), done -> {});
        List<DeploymentCandidate> ranked = search.run(optimistic);
        assertThat(search.isCut()).isTrue();
        assertThat(ranked.stream().filter(c -> c.confirmed().isPresent()))
                .extracting(c -> c.deployment().shape().tp())
                .contains(1, 2, 4);
        assertThat(ranked.stream().filter(c -> c.status() == DeploymentCandidate.Status.NOT_SIMULATED))
                .extracting(c -> c.reason().split("; ", -1)[1])
                .containsOnly("search.simulations was reached", "the same schedule was simulated");
    }
}
