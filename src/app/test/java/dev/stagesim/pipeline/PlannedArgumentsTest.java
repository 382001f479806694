package dev.stagesim.pipeline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.stagesim.config.ConfigEngine;
import dev.stagesim.config.bind.Binder;
import dev.stagesim.config.compose.source.SearchRoot;
import dev.stagesim.model.card.CardFiles;
import dev.stagesim.model.card.Precision;
import dev.stagesim.pipeline.request.JobComposer;
import dev.stagesim.pipeline.request.RunRequest;
import dev.stagesim.pipeline.request.ShortKeys;
import dev.stagesim.serving.EngineChoice;
import dev.stagesim.serving.EngineChoice.Drafting;
import dev.stagesim.serving.EngineChoice.ExpertLayout;
import dev.stagesim.serving.EngineChoice.Shape;
import dev.stagesim.serving.ReplicaModel;
import dev.stagesim.sim.serving.settings.Speculation;
import dev.stagesim.stage.Stage;
import dev.stagesim.stage.vidursim.VidurSimSettings;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** The arguments that a plan prints select its deployment in a simulation. */
final class PlannedArgumentsTest {
    private static final Path HOME = Path.of(System.getProperty("stagesim.home", ""));

    private static VidurSimSettings settings(List<String> words) {
        Stage<?> stage = StageRegistry.standard().find("vidur_sim").orElseThrow();
        ConfigEngine configs = ConfigEngine.open(List.of(new SearchRoot("main", HOME.resolve("configs"))));
        RunRequest request =
                new JobComposer(configs, stage, "vidur_sim", Path::toString).request(ShortKeys.expand(stage, words));
        return Binder.bind(request.config(), VidurSimSettings.class, request.bindOptions());
    }

    @ParameterizedTest
    @CsvSource({
        "vllm_v1, deepseek_v3, 4, 2, true, 2, FP8_BLOCK, 3",
        "vllm_v1, llama3_70b, 4, 1, false, 1, FP8, 0",
        "sglang, deepseek_v3, 4, 2, true, 1, FP8_BLOCK, 0",
        "sglang, qwen3_30b_a3b, 2, 1, true, 1, BF16, 0",
        "trtllm, deepseek_v3, 1, 8, true, 1, FP8_BLOCK, 0"
    })
    void selectTheDeployment(
            String engine,
            String model,
            int tp,
            int dp,
            boolean isExpertParallel,
            int interval,
            Precision weights,
            int drafts) {
        Drafting drafting = drafts == 0 ? Drafting.NONE : new Drafting(Speculation.Method.MTP, drafts, List.of());
        Shape shape = new Shape(
                engine,
                CardFiles.engine(engine),
                tp,
                1,
                weights,
                weights,
                Precision.BF16,
                new ExpertLayout(dp, isExpertParallel, interval),
                drafting);
        EngineChoice planned = new EngineChoice(shape, 128, 4096);
        ReplicaModel expected =
                planned.replica(CardFiles.model(model), CardFiles.hardware("h200"), Optional.empty(), 4096);
        List<String> words = new ArrayList<>(List.of("model=" + model, "hardware=h200"));
        words.addAll(List.of(planned.arguments().split(" ")));
        ReplicaModel typed = settings(words).replica();
        assertThat(typed.scheduler()).isEqualTo(expected.scheduler());
        assertThat(typed.model().formats().weights()).isEqualTo(weights);
        assertThat(typed.model().expertPrecision()).isEqualTo(weights);
        assertThat(typed.model().formats().kvCache()).isEqualTo(Precision.BF16);
        assertThat(typed.engine()).isEqualTo(expected.engine());
        assertThat(typed.cluster().tensorParallelSize()).isEqualTo(tp);
        assertThat(typed.problems()).isEmpty();
    }
}
