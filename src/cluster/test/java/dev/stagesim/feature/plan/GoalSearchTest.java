package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.feature.plan.PlanSettings.PlanGoal;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.model.KeyRecord;
import dev.stagesim.model.card.Precision;
import dev.stagesim.sim.serving.ServingOutcome;
import dev.stagesim.sim.serving.ServingSimulator;
import dev.stagesim.sim.serving.metrics.AdmissionTimes;
import dev.stagesim.sim.serving.metrics.SustainedLoad;
import dev.stagesim.sim.serving.request.RequestTrace;
import dev.stagesim.stage.FakeContext;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Plans with the goals throughput and latency. */
final class GoalSearchTest {
    private static final String SLO = "ttft_p99_ms<300,tpot_p99_ms<20";
    private static final PlanSettings.Search GRID =
            Plans.search(List.of(1, 2, 4), List.of(Precision.BF16), List.of(64, 256), List.of(512, 2048));

    private final Path root = Jimfs.newFileSystem(Configuration.unix()).getPath("/run");

    private static PlanSettings settings(PlanGoal goal, Map<String, Object> changes) {
        Map<String, Object> all =
                new LinkedHashMap<>(Map.of("goal", goal, "devices", Optional.of(4), "load", Optional.empty()));
        all.putAll(changes);
        return KeyRecord.with(
                PlanSettings.class, Plans.settings("llama3_8b", "h100", 10, SLO, GRID, "vllm_v1", "sglang"), all);
    }

    private static DeploymentResult simulate(
            SimulationCache simulations, DeploymentCandidate candidate, double loadPerDevice) {
        return simulations.of(
                candidate.replica().orElseThrow(),
                candidate.deployment(),
                candidate.replicas(),
                loadPerDevice * candidate.devices());
    }

    /** @param ranked all deployments after the search */
    private record Searched(
            DeploymentCandidate winner,
            List<DeploymentCandidate> all,
            List<DeploymentCandidate> ranked,
            SimulationCache simulations) {
        List<DeploymentCandidate> confirmed() {
            return ranked.stream().filter(c -> c.confirmed().isPresent()).toList();
        }
    }

    private Searched search(PlanSettings settings) throws IOException {
        RequestSamples requests = Plans.read(root);
        Slo slo = Slo.parse(settings.slo());
        List<List<DeploymentCandidate>> shapes = new Estimator(settings, requests, slo).all();
        List<DeploymentCandidate> ranked = new GoalSearch(
                        settings, requests.output(), slo, new SimulationCache(requests, slo), done -> {})
                .run(shapes);
        List<DeploymentCandidate> all = shapes.stream()
                .flatMap(List::stream)
                .filter(c -> c.estimate().isPresent())
                .toList();
        return new Searched(
                DeploymentSearch.winner(ranked).orElseThrow(), all, ranked, new SimulationCache(requests, slo));
    }

    /** No deployment of the grid meets the SLO at a load per device that is 5 % higher. */
    @Test
    void findsTheHighestThroughput() throws IOException {
        Searched found = search(settings(PlanGoal.THROUGHPUT, Map.of()));
        double best = found.winner().load(0) / found.winner().devices();
        assertThat(simulate(found.simulations(), found.winner(), best).meetsSlo())
                .isTrue();
        assertThat(found.all()).hasSize(24).allSatisfy(c -> assertThat(
                        simulate(found.simulations(), c, 1.05 * best).meetsSlo())
                .as(c.deployment().toString())
                .isFalse());
    }

    /** A deployment that misses the load of the best one was compared, so that worse predictions are left out. */
    @Test
    void leavesOutClearlyWorsePredictions() throws IOException {
        PlanSettings.Search search = KeyRecord.with(PlanSettings.Search.class, GRID, Map.of("finalists", 4));
        Searched found = search(settings(PlanGoal.THROUGHPUT, Map.of("search", search)));
        assertThat(found.confirmed()).hasSizeGreaterThanOrEqualTo(4);
        assertThat(found.confirmed().stream().filter(DeploymentCandidate::isFeasible))
                .hasSizeLessThan(4);
        double best = ratio(found.winner());
        assertThat(found.confirmed().stream().filter(c -> ratio(c) < best / 1.25))
                .as("simulated although clearly worse")
                .hasSizeLessThan(4);
        assertThat(found.all().stream().filter(c -> ratio(c) < best / 1.25)).hasSizeGreaterThan(8);
    }

    private static double ratio(DeploymentCandidate candidate) {
        return candidate.estimate().orElseThrow().loadRatio() / candidate.devices();
    }

    /**
     * At the highest load, 200 requests arrive in one second, less time than one of them needs. The verdict detects an
     * overload of more than 5 %, and the end of the run is not fully loaded.
     */
    @Test
    void findsAThroughputThatLongRunsSustain() throws IOException {
        PlanSettings settings = settings(PlanGoal.THROUGHPUT, Map.of("slo", Optional.of("tpot_p99_ms<100")));
        DeploymentCandidate winner = search(settings).winner();
        RequestTrace requests = Plans.read(root).at(winner.load(settings.load()), 1, 32);
        ServingOutcome outcome = ServingSimulator.run(
                winner.replica().orElseThrow().replicated(winner.replicas(), 0).spec(),
                requests,
                winner.replica().orElseThrow().times(),
                new AdmissionTimes(winner.replicas()));
        SustainedLoad load = SustainedLoad.of(outcome);
        assertThat(load.servedPerSecond()).isGreaterThan(0.9 * load.offeredPerSecond());
    }

    /** No deployment of the grid has a lower P99 E2E latency on the same devices. */
    @Test
    void findsTheLowestLatency() throws IOException {
        Searched found = search(settings(PlanGoal.LATENCY, Map.of("load", Optional.of(20.0))));
        assertThat(found.winner().devices()).isEqualTo(4);
        double lowest = found.all().stream()
                .map(c -> simulate(found.simulations(), c, 5))
                .filter(DeploymentResult::meetsSlo)
                .mapToDouble(result -> result.metrics().get("e2e_p99_ms"))
                .min()
                .orElseThrow();
        assertThat(found.winner().confirmed().orElseThrow().result().metrics().get("e2e_p99_ms"))
                .isEqualTo(lowest);
    }

    private String summary(PlanSettings settings) throws IOException {
        Path out = Files.createDirectories(root.resolve("out"));
        FakeContext context = new FakeContext(out, Path.of("").toAbsolutePath())
                .with("workload", Plans.requests(root.resolve("workload")), "workload")
                .with("workload_2", Plans.requests(root.resolve("workload_2")), "workload");
        new PlanStage().run(settings, context);
        assertThat(context.warnings).noneMatch(text -> text.contains("headroom"));
        return Files.readString(out.resolve("summary.md"));
    }

    @Test
    void answersInTheFirstSentence() throws IOException {
        assertThat(summary(settings(PlanGoal.THROUGHPUT, Map.of())))
                .contains("\n\nHighest throughput per device, ", "output tokens/s: 4 × H100", " in the SLO; ")
                .doesNotContain("Cost of each choice");
        assertThat(summary(settings(PlanGoal.LATENCY, Map.of())))
                .contains("\n\nLowest latency, P99 E2E ", " ms: 4 × H100");
        PlanSettings chosen = settings(
                PlanGoal.LATENCY,
                Map.of("load", Optional.of(10.0), "slo", Optional.of("ttft_p99_ms<500,tpot_p99_ms<50")));
        assertThat(chosen.assumed()).as("typed values that equal the defaults").isEmpty();
        PlanSettings assumed = settings(PlanGoal.LATENCY, Map.of("load", Optional.empty(), "slo", Optional.empty()));
        assertThat(assumed.assumed())
                .isEqualTo(" Assumed by default: rate=10 and slo='ttft_p99_ms<500,tpot_p99_ms<50'.");
    }

    @Test
    void plansForANodeByDefault() {
        PlanSettings node = settings(PlanGoal.LATENCY, Map.of("devices", Optional.empty()));
        assertThat(node.copies(2)).isEqualTo(4);
        assertThat(node.copies(16)).isZero();
    }

    @Test
    void rejectsSettingsWithoutEffect() {
        assertThatThrownBy(() -> new PlanStage().check(settings(PlanGoal.CHEAPEST, Map.of()), root))
                .hasMessageContaining("devices: has no effect with goal=cheapest");
        assertThatThrownBy(() ->
                        new PlanStage().check(settings(PlanGoal.THROUGHPUT, Map.of("load", Optional.of(3.0))), root))
                .hasMessageContaining("load: has no effect with goal=throughput");
        PlanSettings.Search pools = KeyRecord.with(PlanSettings.Search.class, GRID, Map.of("pools", true));
        assertThatThrownBy(() -> new PlanStage().check(settings(PlanGoal.LATENCY, Map.of("search", pools)), root))
                .hasMessageContaining("goal: must be cheapest with search.pools or search.routers");
    }
}
