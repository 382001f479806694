package dev.stagesim.feature.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.google.common.jimfs.Configuration;
import com.google.common.jimfs.Jimfs;
import dev.stagesim.feature.plan.SimulationCache.DeploymentResult;
import dev.stagesim.feature.plan.Slo.SloBound;
import dev.stagesim.model.StageException;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.ModelCard;
import dev.stagesim.model.card.Precision;
import dev.stagesim.model.hardware.HardwareCard;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Drafting;
import dev.stagesim.serving.EngineChoice.ExpertLayout;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.serving.ServingInput;
import dev.stagesim.serving.tables.RequestTables;
import dev.stagesim.sim.core.RandomStream;
import dev.stagesim.sim.serving.settings.Speculation;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class LowerBoundsTest {
    private static final List<String> MODELS = List.of(
            "llama3_8b", "llama3_70b", "qwen3_30b_a3b", "gpt_oss_120b", "deepseek_v3", "mixtral_8x7b", "gemma3_27b");
    private static final List<String> HARDWARE = List.of("h100", "h200", "b200", "l40s", "a100", "mi300x", "l4");
    private static final List<String> ENGINES = List.of("vllm_v1", "vllm_v0", "sglang", "trtllm");
    private static final List<String> METRICS = List.of(
            "ttft_p50_ms",
            "ttft_p90_ms",
            "ttft_p99_ms",
            "tpot_p50_ms",
            "tpot_p95_ms",
            "tpot_p99_ms",
            "e2e_p50_ms",
            "e2e_p99_ms");
    private static final int REQUESTS = 60;

    private final Path dir = Jimfs.newFileSystem(Configuration.unix()).getPath("/workload");

    /**
     * For random deployments, loads and lengths, no simulated metric is below its bound, and no bound requires more
     * copies.
     */
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 178, 191})
    void neverExceedsASimulatedMetric(long seed) throws IOException {
        assertThat(simulated(seed, MODELS, LowerBoundsTest::shape)).isGreaterThan(3);
    }

    /** The same for engines in lockstep that share the experts. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void holdsForEnginesThatShareExperts(long seed) throws IOException {
        assertThat(simulated(
                        seed,
                        List.of("qwen3_30b_a3b", "gpt_oss_120b", "deepseek_v3", "mixtral_8x7b"),
                        random -> shared(shape(random), random)))
                .isGreaterThan(3);
    }

    @ParameterizedTest
    @Tag("acceptance")
    @ValueSource(longs = {3, 4})
    void holdsForMoreEnginesThatShareExperts(long seed) throws IOException {
        holdsForEnginesThatShareExperts(seed);
    }

    private int simulated(long seed, List<String> models, Function<RandomStream, Shape> shapes) throws IOException {
        RandomStream random = RandomStream.of(seed, "deployments");
        RequestSamples requests = requests(random);
        int simulated = 0;
        for (int i = 0; i < 16; i++) {
            int replicas = 1 + (int) random.below(3);
            double load = replicas * Math.exp(6 * random.nextDouble() - 2);
            Shape shape = shapes.apply(random);
            ModelCard model = CardFiles.model(pick(models, random));
            HardwareCard hardware = CardFiles.hardware(pick(HARDWARE, random));
            int tokens = pick(List.of(256, 500, 512, 1024, 2048, 8192), random);
            int seqs = Math.min(tokens, pick(List.of(4, 64, 256), random));
            if (shape.whyInfeasible(model, hardware).isPresent()) {
                continue;
            }
            EngineChoice deployment = new EngineChoice(shape, seqs, tokens);
            SimulationCache simulations = new SimulationCache(requests, Slo.parse("ttft_p99_ms<1e9"));
            DeploymentResult result;
            ReplicaModel replica = deployment.replica(model, hardware, Optional.of(0.9), requests.longest());
            try {
                result = simulations.of(replica, deployment, replicas, load);
            } catch (StageException noRoom) {
                continue;
            }
            if (result.metrics().isEmpty()) {
                continue; // Prompts do not fit a step of vLLM before V1.
            }
            simulated++;
            verify(requests, replica, deployment, result, replicas);
        }
        return simulated;
    }

    private static void verify(
            RequestSamples requests,
            ReplicaModel replica,
            EngineChoice deployment,
            DeploymentResult result,
            int replicas) {
        String as = deployment + " of " + replica.model().name() + " on "
                + replica.hardware().name() + " at " + result.load();
        Slo exact = Slo.parse(METRICS.stream()
                .map(name -> name + "<" + result.metrics().get(name))
                .collect(Collectors.joining(",")));
        LowerBounds bounds = new LowerBounds(
                replica,
                new StepFloor(replica, deployment.maxNumBatchedTokens()),
                new RequestWork(requests),
                exact,
                deployment);
        for (SloBound bound : exact.bounds()) {
            assertThat(bounds.metric(bound))
                    .as("%s of %s", bound, as)
                    .isPositive()
                    .isLessThanOrEqualTo(bound.limit());
        }
        double span = requests.span(result.load());
        assertThat(bounds.copies(span, SimulationCache.deadline(span))).as(as).isLessThanOrEqualTo(replicas);
    }

    private static Shape shared(Shape shape, RandomStream random) {
        boolean isTrtllm = random.nextDouble() < 0.3;
        String engine = isTrtllm ? "trtllm" : "vllm_v1";
        return new Shape(
                engine,
                CardFiles.engine(engine),
                isTrtllm ? 1 : shape.tp(),
                1,
                shape.weights(),
                shape.experts(),
                shape.kv(),
                new ExpertLayout(
                        pick(List.of(2, 4, 8), random),
                        isTrtllm || random.nextDouble() < 0.7,
                        isTrtllm ? 1 : 1 + (int) random.below(3)),
                Drafting.NONE);
    }

    /** The same for engines with drafts, some of which are all accepted. */
    @ParameterizedTest
    @ValueSource(longs = {1, 2})
    void holdsForDrafts(long seed) throws IOException {
        assertThat(simulated(
                        seed,
                        List.of("llama3_8b", "llama3_70b", "gpt_oss_120b"),
                        random -> drafted(shape(random), random)))
                .isGreaterThan(3);
    }

    private static Shape drafted(Shape shape, RandomStream random) {
        String engine = pick(List.of("vllm_v1", "trtllm"), random);
        return new Shape(
                engine,
                CardFiles.engine(engine),
                shape.tp(),
                1,
                shape.weights(),
                shape.experts(),
                shape.kv(),
                ExpertLayout.NONE,
                new Drafting(
                        Speculation.Method.EAGLE,
                        1 + (int) random.below(4),
                        pick(List.of(List.<Double>of(), List.of(1.0)), random)));
    }

    private static Shape shape(RandomStream random) {
        String engine = pick(ENGINES, random);
        Precision weights = pick(List.of(Precision.BF16, Precision.FP8), random);
        return new Shape(
                engine,
                CardFiles.engine(engine),
                pick(List.of(1, 2, 4, 8), random),
                pick(List.of(1, 1, 2), random),
                weights,
                weights,
                pick(List.of(Precision.BF16, Precision.FP8), random));
    }

    private static <T> T pick(List<T> from, RandomStream random) {
        return from.get((int) random.below(from.size()));
    }

    private RequestSamples requests(RandomStream random) throws IOException {
        double[] prompts = new double[REQUESTS];
        double[] outputs = new double[REQUESTS];
        double[] times = new double[REQUESTS];
        double longest = Math.exp(9.5 * random.nextDouble());
        for (int i = 0; i < REQUESTS; i++) {
            prompts[i] = 1 + Math.floor(longest * random.nextDouble());
            outputs[i] = 1 + random.below(40);
            times[i] = (i == 0 ? 0 : times[i - 1]) - 1e9 * Math.log1p(-random.nextDouble());
        }
        Files.createDirectories(dir);
        RequestTables.lengths(dir, REQUESTS, i -> "p" + i, i -> (long) prompts[i], i -> (long) outputs[i]);
        RequestTables.intervals(dir, REQUESTS, i -> (long) times[i]);
        return new RequestSamples(List.of(ServingInput.read(dir)), REQUESTS, 1);
    }
}
